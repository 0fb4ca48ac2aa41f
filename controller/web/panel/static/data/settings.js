/** Settings of this browser: language and theme, kept in its local storage. */
export const LANGUAGES = { en: "English", ja: "日本語", zh: "中文", fil: "Filipino" };
export const THEMES = ["system", "light", "dark"];
const LANGUAGE_TAGS = { en: "en", ja: "ja", zh: "zh-Hans", fil: "fil" };

/** A stored value, or `otherwise` if there is none or storage is not allowed. */
export function recall(key, otherwise) {
  try {
    return localStorage.getItem(`wallwright.${key}`) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** Store a value; without effect if storage is not allowed. */
export function remember(key, value) {
  try {
    localStorage.setItem(`wallwright.${key}`, value);
  } catch {
    // The setting then lasts until the page is closed.
  }
}

/** The language to show: the chosen one, or the first of the browser's that exists, or English. */
export function chosenLanguage() {
  const wanted = [recall("language", ""), ...(navigator.languages ?? [])];
  const known = wanted.map((tag) => tag.toLowerCase().replace(/^tl\b/, "fil").split("-")[0]);
  return known.find((tag) => tag in LANGUAGES) ?? "en";
}

export const languageTag = (language) => LANGUAGE_TAGS[language];

/** Apply a theme to the page: "light", "dark", or "system" for the setting of the device. */
export function applyTheme(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
