/** The container of the table's picture, which the module `scene/table_scene.js` draws. */
import { api } from "../api.js";
import { presentLanguage, t, pictureWords } from "../data/messages.js";
import { follow, listen, state } from "../data/store.js";
import { gameTitle } from "../data/words.js";
import { useLoaded } from "../frame/hooks.js";
import { mountTable } from "../scene/table_scene.js";
import { html, useEffect, useRef } from "../vendor/htm_preact.js";

/** The picture of the game on the table. */
export function TablePicture() {
  const game = state.status?.programme?.now ?? null;
  const shape = useLoaded(() => api.geometry(), [JSON.stringify(game)]);
  return html`<figure class="picture" id="table-picture">
    ${shape.value
      ? html`<${Mounted} key=${presentLanguage()} geometry=${shape.value} title=${game ? gameTitle(state.games, game.game) : ""} />`
      : html`<p class="empty">${t(shape.error ? "picture.none" : "now.loading")}</p>`}
  </figure>`;
}

/** Mounts the picture once; it then follows the status and the events by itself. */
function Mounted({ geometry, title }) {
  const container = useRef(null);
  useEffect(() => {
    const picture = mountTable(container.current, { ...geometry, game_title: title }, { messages: pictureWords() });
    const update = () => state.status && picture.update(state.status);
    let shown = null;
    const ends = [
      follow(() => {
        if (state.status !== shown) update();
        shown = state.status;
      }),
      listen((event) => picture.event(event)),
    ];
    update();
    return () => {
      ends.forEach((end) => end());
      picture.destroy();
    };
  }, [geometry, title]);
  return html`<div class="picture-frame" ref=${container}></div>`;
}
