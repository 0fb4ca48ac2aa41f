/** Every channel of the table by part: its value, its trace, and the held buttons that jog it. */
import { command, newId } from "../api.js";
import { number, t } from "../data/messages.js";
import { tableTime } from "../data/store.js";
import { useAction, useTick } from "../frame/hooks.js";
import { Notice } from "../frame/notice.js";
import { html, useEffect, useRef, useState } from "../vendor/htm_preact.js";

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
      (part) => html`<section key=${part}><h3>${part || t("service.no_part")}</h3>
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

function Channel({ name, channel, mode, give }) {
  return html`<li class=${mode.jog?.channel === name ? "moving" : ""}>
    <span class="channel-name"><b>${name}</b> <small>${[channel.role, channel.kind].filter(Boolean).join(" · ")}</small></span>
    <${TraceLine} channel=${channel} seconds=${mode.trace_s} />
    <span class="channel-value">${shownValue(channel)}${channel.count !== null && channel.count !== undefined && html` <small>${t("service.edges", { count: number(channel.count) })}</small>`}</span>
    ${(channel.jog.length > 0 || channel.homes) &&
    html`<span class="channel-actions">
      ${channel.jog.map((direction) => html`<${JogButton} key=${direction} name=${name} channel=${channel} direction=${direction} renewal=${mode.renewal_s} />`)}
      ${channel.homes && html`<button class="small" onClick=${() => give("home", { channel: name })}>${t("service.home")}</button>`}
    </span>`}
  </li>`;
}

/** The last seconds of a value as a stepped line. */
function TraceLine({ channel, seconds }) {
  const now = tableTime();
  const points = channel.trace;
  if (!points.length) return html`<svg class="trace" viewBox="0 0 100 24" aria-hidden="true"></svg>`;
  const values = points.map(([, value]) => value);
  const low = Math.min(0, ...values);
  const high = Math.max(1, ...values);
  const x = (at) => Math.max(0, Math.min(100, 100 - ((now - at) / seconds) * 100));
  const y = (value) => 22 - ((value - low) / (high - low)) * 20;
  let path = `M0 ${y(values[0])}`;
  for (const [at, value] of points) path += `H${x(at).toFixed(1)}V${y(value).toFixed(1)}`;
  return html`<svg class="trace" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true"><path d=${`${path}H100`} /></svg>`;
}

/**
 * Moves a channel while the button is held: each press has an id, and the command is renewed until
 * the button is released, the pointer leaves it, or the page loses the focus.
 */
function JogButton({ name, channel, direction, renewal }) {
  const [run, { error }] = useAction();
  const [held, hold] = useState(false);
  const press = useRef("");
  const timer = useRef(0);
  const speed = Math.max(channel.least_speed, Math.min(channel.most_speed, 300));
  const renew = () =>
    command("jog", { channel: name, direction, speed, press: press.current }).catch((failure) => {
      stop();
      run(() => Promise.reject(failure));
    });
  const start = () => {
    if (press.current) return;
    press.current = newId();
    hold(true);
    renew();
    timer.current = setInterval(renew, (renewal * 1000) / 3);
  };
  const stop = () => {
    if (!press.current) return;
    press.current = "";
    clearInterval(timer.current);
    hold(false);
    command("stop_jog").catch(() => {});
  };
  useEffect(() => {
    addEventListener("blur", stop);
    return () => {
      removeEventListener("blur", stop);
      stop();
    };
  }, []);
  const key = (act) => (event) => {
    if (event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    act();
  };
  return html`<button class=${`small jog ${held ? "held" : ""}`} aria-pressed=${held} aria-label=${t(`service.jog.${direction}`, { name })}
      onPointerDown=${start} onPointerUp=${stop} onPointerLeave=${stop} onPointerCancel=${stop}
      onKeyDown=${key(start)} onKeyUp=${key(stop)} onBlur=${stop} onContextMenu=${(event) => event.preventDefault()}>
      ${direction === "forward" ? "▶" : "◀"}</button><${Notice} error=${error} />`;
}
