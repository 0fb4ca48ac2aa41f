/** Every channel of the table by part: its value, its trace, and the held buttons that jog it. */
import { number, t } from "../data/messages.js";
import { tableTime } from "../data/store.js";
import { useTick } from "../frame/hooks.js";
import { html, useState } from "../vendor/htm_preact.js";
import { JogButton } from "./jog_button.js";

export function Channels({ mode, give }) {
  useTick(500);
  const [wanted, seek] = useState("");
  const found = Object.entries(mode.channels).filter(([name, channel]) =>
    `${name} ${channel.part} ${channel.role} ${channel.kind}`.toLowerCase().includes(wanted.trim().toLowerCase()),
  );
  const parts = [...new Set(found.map(([, channel]) => channel.part))];
  return html`<section class="card channels">
    <div class="card-head"><h2>${t("service.channels")}</h2>
      <label class="field"><span>${t("answer.search")}</span><input type="search" value=${wanted} onInput=${(event) => seek(event.target.value)} /></label></div>
    ${parts.map(
      (part) => html`<section key=${part}><h3 lang=${part ? "en" : null}>${part || t("service.no_part")}</h3>
        <ul class="channel-list">${found
          .filter(([, channel]) => channel.part === part)
          .map(([name, channel]) => html`<${Channel} key=${name} name=${name} channel=${channel} mode=${mode} give=${give} />`)}</ul></section>`,
    )}
  </section>`;
}

const UNITS = { mV: "mV", mm: "mm", permille: "‰" };

function shownValue(channel) {
  if (channel.value === null || channel.value === undefined) return "–";
  if (channel.unit === "level") return t(channel.value ? "service.active" : "service.inactive");
  return `${number(channel.value)} ${UNITS[channel.unit] ?? ""}`.trim();
}

/** The buttons of a motor from left to right. */
const WAYS = ["reverse", "forward"];

function Channel({ name, channel, mode, give }) {
  return html`<li class=${mode.jog?.channel === name ? "moving" : ""}>
    <span class="channel-name" lang="en"><b>${name}</b> <small>${[...new Set([channel.role, channel.kind])].filter(Boolean).join(" · ")}</small></span>
    <${TraceLine} channel=${channel} seconds=${mode.trace_s} />
    <span class="channel-value">${shownValue(channel)}${channel.count !== null && channel.count !== undefined && html` <small>${t("service.edges", { count: number(channel.count) })}</small>`}</span>
    ${(channel.jog.length > 0 || channel.homes) &&
    html`<span class="channel-actions">
      ${WAYS.filter((way) => channel.jog.includes(way)).map((direction) => html`<${JogButton} key=${direction} name=${name} channel=${channel} direction=${direction} renewal=${mode.renewal_s} />`)}
      ${channel.homes && html`<button class="small" onClick=${() => give("home", { channel: name })}>${t("service.home")}</button>`}
    </span>`}
  </li>`;
}

/** The last seconds of a value as a stepped line; a value that has not changed is a level line. */
function TraceLine({ channel, seconds }) {
  const now = tableTime();
  const known = typeof channel.value === "number" || typeof channel.value === "boolean";
  const points = channel.trace.length || !known ? channel.trace : [[now - seconds, Number(channel.value)]];
  if (!points.length) return html`<svg class="trace" viewBox="0 0 100 24" aria-hidden="true"></svg>`;
  const values = points.map(([, value]) => value);
  const low = Math.min(0, ...values);
  const high = Math.max(1, ...values);
  const x = (at) => Math.max(0, Math.min(100, 100 - ((now - at) / seconds) * 100));
  const y = (value) => 22 - ((value - low) / (high - low)) * 20;
  let path = `M0 ${y(values[0])}`;
  for (const [at, value] of points) path += `H${x(at).toFixed(1)}V${y(value).toFixed(1)}`;
  return html`<svg class="trace" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true"><path class="base" d=${`M0 ${y(0)}H100`} /><path class="line" d=${`${path}H100`} /></svg>`;
}
