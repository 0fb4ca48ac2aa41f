/** The container of the table's picture: the module `scene/table.js` draws into its SVG element. */
import { t } from "../data/messages.js";
import { follow, listen, state } from "../data/store.js";
import { api } from "../api.js";
import { mountTable } from "../scene/table.js";
import { headline } from "../data/words.js";
import { Component, html } from "../vendor/htm_preact.js";

let geometry;

/** The table's geometry, loaded once; null if the API has none. */
async function loadGeometry() {
  geometry ??= api.geometry().catch(() => null);
  return geometry;
}

/** Draws itself once; afterwards the picture changes its own elements and this component none. */
export class TablePicture extends Component {
  shouldComponentUpdate() {
    return false;
  }

  async componentDidMount() {
    const shape = await loadGeometry();
    if (!this.svg) return;
    this.picture = mountTable(this.svg, shape);
    const update = () => {
      if (state.status) this.picture.update(state.status);
      this.svg.setAttribute("aria-label", t("picture.label", { now: headline(state.status).text }));
    };
    const ends = [follow(update), listen((event) => this.picture.event(event))];
    this.end = () => ends.forEach((end) => end());
    update();
  }

  componentWillUnmount() {
    this.end?.();
    this.picture?.destroy();
    this.svg = null;
  }

  render() {
    const keep = (element) => {
      if (element) this.svg = element;
    };
    return html`<figure class="picture" id="table-picture">
      <svg ref=${keep} role="img" aria-label=${t("picture.label", { now: "" })}></svg>
    </figure>`;
  }
}
