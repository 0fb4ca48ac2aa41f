/** Starts the page. It imports nothing at first, so that a module that fails cannot stop it too. */

/** Milliseconds until the page is loaded again. */
const PAUSE = 2000;

/**
 * Load the page again soon: a browser keeps the failure of a module until then. Without a connection
 * the page stays, because no page of the browser's own would come back by itself.
 */
function reloadSoon() {
  setTimeout(async () => {
    const options = { cache: "no-store", signal: AbortSignal.timeout(5 * PAUSE) };
    const reply = await fetch(document.baseURI, options).catch(() => null);
    if (reply?.ok) location.reload();
    else reloadSoon();
  }, PAUSE);
}

addEventListener("pagefailed", reloadSoon);
import("./app.js").catch(reloadSoon);
