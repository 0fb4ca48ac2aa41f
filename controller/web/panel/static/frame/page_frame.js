/** The frame of a page: header, navigation, the connection, and the view of the address. */
import { announceAlert } from "../data/live_regions.js";
import { t } from "../data/messages.js";
import { draft, setDraft, state } from "../data/store.js";
import { html, useEffect, useErrorBoundary } from "../vendor/htm_preact.js";
import { useLoaded } from "./hooks.js";
import { Icon } from "./icons.js";

/** Ask `start.js` to load the page again. */
const pageFailed = () => dispatchEvent(new Event("pagefailed"));

/**
 * A component whose module is loaded when it is opened, because the first view does not need it. The
 * browser loads a module that has failed only in a new page. `loading` is shown meanwhile.
 */
export const later = (load, name) => (properties) => {
  const module = useLoaded(() => load().catch(pageFailed));
  if (module.value) return html`<${module.value[name]} ...${properties} />`;
  return properties.loading && html`<p class="starting">${properties.loading}</p>`;
};

const signIn = () => import("../views/sign_in.js");
const PAGES = { sign_in: later(signIn, "SignIn"), first_start: later(signIn, "FirstStart"), pair: later(signIn, "Pairing") };
const SettingsDialog = later(() => import("./settings_dialog.js"), "SettingsDialog");

/**
 * The whole page. It has no view while it loads and while a person signs in; otherwise `open()` gives
 * the view: {name, title, views, present, skips, View, key, heading, banners}. `views` are those of
 * the navigation, `present` the name of the one that is marked, `skips` the regions besides the
 * content to which the keyboard can jump. `brand` is {home, words, note}, `below` what the header
 * shows below the state of the connection, and `loading` the sentence while the page loads.
 */
export function PageFrame({ app, brand, below, loading, open }) {
  if (state.page === "loading") return html`<p class="starting">${loading}</p>`;
  const header = html`<${Header} app=${app} brand=${brand} below=${below} />`;
  const Page = PAGES[state.page];
  if (Page) {
    return html`<div class="frame apart">
      ${header}
      <main id="main" tabindex="-1"><${Page} app=${app} loading=${loading} /></main>
    </div>`;
  }
  const view = open();
  document.title = view.title;
  return html`<div class="frame">
    <a class="skip" href="#main" onClick=${skipTo("main")}>${t("frame.skip")}</a>
    ${view.skips?.map(({ id, words }) => html`<a key=${id} class="skip" href=${`#${id}`} onClick=${skipTo(id)}>${words}</a>`)}
    ${header}
    <${Navigation} views=${view.views} present=${view.present} />
    <main id="main" tabindex="-1" class="view ${view.name}">
      ${view.heading}
      ${view.banners}
      <${Guarded} key=${view.key} loading=${loading}><${view.View} app=${app} loading=${loading} /><//>
    </main>
  </div>`;
}

/** A view. If it cannot be drawn, the page begins anew: a half-drawn view does not recover. */
function Guarded({ children, loading }) {
  const [failure] = useErrorBoundary((error) => {
    reportError(error);
    pageFailed();
  });
  return failure ? html`<p class="starting">${loading}</p>` : children;
}

/** Moves the keyboard to a region without a change of the address, which names the view. */
const skipTo = (id) => (event) => {
  event.preventDefault();
  document.getElementById(id)?.focus();
};

function Header({ app, brand, below }) {
  return html`<header class="header">
    <a class="brand" href=${brand.home}>
      <img src="style/icon.svg" alt="" width="32" height="32" />
      <span class="brand-words"><b>${brand.words}</b>${brand.note && html`<small>${brand.note}</small>`}</span>
      <span class="unseen">${t("frame.home")}</span>
    </a>
    ${state.page === "open" && html`<${ConnectionLamp} />${below}`}
    <button class="quiet icon-only" aria-label=${t("settings.open")} onClick=${() => setDraft("settings", true)}>
      <${Icon} name="settings" />
    </button>
    ${draft("settings", false) && html`<${SettingsDialog} app=${app} close=${() => setDraft("settings", false)} />`}
  </header>`;
}

/** Whether the page receives the state of the table or of the room; a loss is announced. */
function ConnectionLamp() {
  const lost = state.connection === "lost";
  useEffect(() => {
    if (lost) announceAlert(`${t("connection.lost")} ${t("connection.lost.next")}`);
  }, [lost]);
  return html`<p class="connection ${state.connection}">
    <span class="lamp" aria-hidden="true"></span><span class="words">${t(`connection.${state.connection}`)}</span>
  </p>`;
}

/** Links to views: {name, icon, count, counted}; a count above 0 is shown with the words `counted`. */
function Navigation({ views, present }) {
  return html`<nav class="navigation" aria-label=${t("frame.views")}>
    ${views.map(
      ({ name, icon, count, counted }) => html`<a key=${name} href=${`#/${name}`} aria-current=${name === present ? "page" : null}>
        <${Icon} name=${icon} /><span>${t(`view.${name}`)}</span>
        ${count > 0 && html`<b class="count">${count}<span class="unseen"> ${counted}</span></b>`}
      </a>`,
    )}
  </nav>`;
}
