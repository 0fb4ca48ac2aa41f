async (views) => {
  const pause = (time) => new Promise((done) => setTimeout(done, time));
  const drawn = async () => {
    for (let n = 0; n < 60; n += 1) {
      await pause(20);
      if (!document.querySelector("main .starting")) return;
    }
  };
  const isSeen = (element) => element.checkVisibility({ checkVisibilityCSS: true });
  const isUnseen = (element) => element.closest(".unseen, .skip, svg, option, [hidden]");
  const isRead = (element) => isSeen(element) && !element.closest("svg svg, [aria-hidden=true]");
  const scrolls = (element) => {
    for (let up = element.parentElement; up; up = up.parentElement)
      if (["auto", "scroll", "hidden"].includes(getComputedStyle(up).overflowX) && up !== document.documentElement) return true;
    return false;
  };
  const short = (element) => element.outerHTML.replace(/<svg.*?<[/]svg>/gs, "").slice(0, 150);
  const defects = () => {
    const found = [];
    if (document.documentElement.scrollWidth > innerWidth) found.push("the page is wider than its window");
    for (const each of document.querySelectorAll("#app *")) {
      if (isUnseen(each) || !isSeen(each)) continue;
      const style = getComputedStyle(each);
      const box = each.getBoundingClientRect();
      if (!box.width || !box.height) continue;
      if ((box.right > innerWidth + 1 || box.left < -1) && !scrolls(each)) found.push(`outside: ${short(each)}`);
      const cuts = style.overflowX !== "visible" && !["auto", "scroll"].includes(style.overflowX);
      if (cuts && each.scrollWidth > each.clientWidth + 1 && each.innerText) found.push(`cut: ${short(each)}`);
      if (each.matches("button, select, input:not([type=checkbox], [type=radio]), summary, .option > span, .navigation a") && box.height < 43.5)
        found.push(`${Math.round(box.height)} px high: ${short(each)}`);
    }
    const texts = document.createTreeWalker(document.getElementById("app"), NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const holder = text.parentElement;
      if (!text.data.trim() || isUnseen(holder) || !isSeen(holder) || holder.closest("select, textarea, pre")) continue;
      const box = (holder.closest("button, label, summary, td, th, li, p, dd, dt, article, section, a") ?? holder).getBoundingClientRect();
      const range = document.createRange();
      range.selectNodeContents(text);
      for (const line of range.getClientRects())
        if (line.right > box.right + 1.5 || line.left < box.left - 1.5 || line.bottom > box.bottom + 2) {
          found.push(`beyond its box: ${text.data.trim()} in ${short(holder)}`);
          break;
        }
    }
    return found;
  };
  const words = () => {
    const found = [];
    const english = (element) => element.closest("[lang]").lang === "en" && document.documentElement.lang !== "en";
    const texts = document.createTreeWalker(document.getElementById("app"), NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode())
      if (text.data.trim() && isSeen(text.parentElement) && !text.parentElement.closest("svg") && !english(text.parentElement)) found.push(text.data.trim());
    for (const each of document.querySelectorAll("#app [aria-label], #app [placeholder], #app [title], #app [alt]"))
      if (isRead(each) && !english(each))
        for (const name of ["aria-label", "placeholder", "title", "alt"]) if (each.getAttribute(name)) found.push(each.getAttribute(name));
    return found;
  };
  const result = [];
  for (const view of views) {
    location.hash = `#/${view}`;
    scrollTo(0, 0);
    for (let n = 0; n < 60 && !document.querySelector(`main.${view}`); n += 1) await pause(20);
    await drawn();
    const tabs = [...document.querySelectorAll("main [role=tab]")].map((tab) => tab.id);
    for (const tab of tabs.length ? tabs : [""]) {
      document.getElementById(tab)?.click();
      await drawn();
      for (const each of document.querySelectorAll("main details:not([open])")) each.open = true;
      await pause(40);
      result.push({ place: `${view} ${tab}`, defects: defects(), words: words() });
    }
  }
  return result;
}
