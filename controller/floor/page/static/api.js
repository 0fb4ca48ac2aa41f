/** The client of the floor's API. */
import { ROOT, apiClient, part } from "./client.js";

/** The address of the stream of the room's changes. */
export const STREAM = new URL("floor/stream", ROOT).href;

/** A table has 10 s to answer a request; the floor computes a report before it sends it. */
const { accounts, get, post, save } = apiClient({ limit: 20000, longLimit: 60000 });

export const api = {
  ...accounts,
  figures: (hours) => get(`floor/figures?hours=${hours}`),
  history: (table, before, everything) =>
    get(`floor/tables/${part(table)}/history?before=${before}&everything=${everything}`),
  games: async () => (await get("floor/games")).games,
  acknowledge: (alarm, note) => post(`floor/alarms/${alarm.log}/${alarm.number}/acknowledge`, { note }),
  retired: async () => (await get("floor/retired")).tables,
  retireTable: (table, reason, confirmed) => post(`floor/tables/${part(table)}/retire`, { reason, confirmed }),
  unretireTable: (table) => post(`floor/tables/${part(table)}/unretire`),
  renameTable: (table, title) => post(`floor/tables/${part(table)}/rename`, { title }),
  requestTable: (table, name, values) => post(`floor/tables/${part(table)}/requests`, { name, arguments: values }),
  save,
};
