/** The websocket to the server: requests with numbers, answers that repeat them. */

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
      socket.onmessage = (event) => this.take(JSON.parse(event.data));
      socket.onclose = (event) => {
        this.socket = null;
        const lost = new Error(event.reason || "the server does not answer; is blockwit serve still running?");
        reject(lost);
        for (const { fail } of this.waiting.values()) fail(lost);
        this.waiting.clear();
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
    if (answer.is === "error") asked.fail(new Error(answer.why));
    else asked.done(answer);
  }

  async ask(request, oninfo) {
    const socket = await this.open();
    const id = ++this.number;
    return new Promise((done, fail) => {
      this.waiting.set(id, { done, fail, oninfo });
      socket.send(JSON.stringify({ id, ...request }));
    });
  }

  /** End the search under way. */
  async stop() {
    if (this.socket) (await this.socket).send(JSON.stringify({ do: "stop" }));
  }
}
