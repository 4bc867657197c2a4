interface Options {
  clipboard: { readText(): Promise<string>; writeText(text: string): Promise<void>; clear(): void };
  clearAfterMs?: number;
}

/** Copies secrets, and removes each from the clipboard later unless something else was copied meanwhile. */
export class SecretClipboard {
  readonly #options: Required<Options>;
  #secret: { text: string; timer: NodeJS.Timeout } | undefined;

  constructor(options: Options) {
    this.#options = { clearAfterMs: 60_000, ...options };
  }

  async copy(text: string): Promise<void> {
    clearTimeout(this.#secret?.timer);
    const timer = setTimeout(() => void this.clear(), this.#options.clearAfterMs);
    this.#secret = { text, timer };
    await this.#options.clipboard.writeText(text);
  }

  /** Removes the secret now, if it is still there; for example before the app ends. */
  async clear(): Promise<void> {
    if (!this.#secret) return;
    const { text, timer } = this.#secret;
    clearTimeout(timer);
    this.#secret = undefined;
    if ((await this.#options.clipboard.readText()) === text) this.#options.clipboard.clear();
  }
}
