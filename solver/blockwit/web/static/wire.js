/** The websocket to the server: requests with numbers, answers that repeat them. */

import { unpressed } from "./dom.js";

export class Wire {
  constructor(url, onlost) {
    this.url = url;
    this.onlost = onlost;
    this.number = 0;
    this.waiting = new Map();
    this.socket = null;
  }

  /** Connect, again if the connection was lost: the server keeps nothing that the page does not know. */
  open() {
    if (this.socket) return this.socket;
    this.socket = new Promise((resolve, reject) => {
      const socket = new WebSocket(this.url);
      socket.onopen = () => resolve(socket);
      socket.onmessage = (event) => unpressed(() => this.take(JSON.parse(event.data)));
      socket.onclose = (event) => {
        this.socket = null;
        const why = event.reason || "the server does not answer; is blockwit serve still running?";
        const lost = Object.assign(new Error(why), { lost: true });
        reject(lost);
        for (const { fail } of this.waiting.values()) fail(lost);
        this.waiting.clear();
        this.tell();
        this.onlost(lost.message);
      };
    });
    return this.socket;
  }

  take(answer) {
    const asked = this.waiting.get(answer.id);
    if (!asked) return;
    if (answer.is === "info") {
      asked.oninfo?.(answer);
      return;
    }
    this.waiting.delete(answer.id);
    this.tell();
    if (answer.is === "error") asked.fail(new Error(answer.why));
    else asked.done(answer);
  }

  ask(request, oninfo) {
    const id = ++this.number;
    // As it is now: by the time of a connection the game may have gone on.
    const text = JSON.stringify({ id, ...request });
    return new Promise((done, fail) => {
      this.waiting.set(id, { done, fail, oninfo });
      this.tell();
      this.open().then((socket) => socket.send(text), fail);
    });
  }

  /** Tell in `data-state` whether an answer is on its way: until it is "ready", the page may change by itself. */
  tell() {
    const { dataset } = document.documentElement;
    if (this.waiting.size) dataset.state = "busy";
    // Whoever has waited for the last answer goes on first, perhaps with the next request.
    else setTimeout(() => (dataset.state = this.waiting.size ? "busy" : "ready"));
  }

  /** End the search under way. */
  async stop() {
    if (this.socket) (await this.socket).send(JSON.stringify({ do: "stop" }));
  }
}
