/** Works on items in batches: what is added while one batch is under way makes the next. */
export class BatchedWork<T> {
  readonly #most: number;
  readonly #work: (items: T[]) => Promise<void>;
  readonly #waiting: T[] = [];
  #running: Promise<void> | undefined;
  #failure: { error: unknown } | undefined;

  constructor(options: { most: number; work: (items: T[]) => Promise<void> }) {
    this.#most = options.most;
    this.#work = options.work;
  }

  /** Returns at once, or when a full batch waits, after the one under way. */
  async add(item: T): Promise<void> {
    this.#waiting.push(item);
    this.#running ??= this.#run();
    if (this.#waiting.length >= this.#most) await this.#running;
  }

  /** Resolves when everything is done; rejects with the first failure, after which nothing more was done. */
  async finish(): Promise<void> {
    await this.#running;
    if (this.#failure) throw this.#failure.error;
  }

  async #run(): Promise<void> {
    try {
      while (this.#waiting.length > 0 && !this.#failure) await this.#work(this.#waiting.splice(0, this.#most));
    } catch (error) {
      this.#failure = { error };
    } finally {
      this.#running = undefined;
    }
  }
}
