/** JSON merge patch (RFC 7386): returns the value after the patch; `target` stays unchanged. */
export function patched(target, patch) {
  const result = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else if (isObject(value)) result[key] = patched(isObject(result[key]) ? result[key] : {}, value);
    else result[key] = value;
  }
  return result;
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
