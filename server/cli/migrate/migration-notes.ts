/** What a person must look at after a migration. */
export interface MigrationNote {
  /** Relative to the new project, with `/`. */
  file: string;
  message: string;
  /** `left`: it could not be turned and was left as it was. `changed`: it was turned, with an assumption. */
  kind: 'left' | 'changed';
}

/** Collects notes. The same note is kept once. */
export class Notes {
  readonly #notes = new Map<string, MigrationNote>();

  add(file: string, message: string, kind: MigrationNote['kind'] = 'changed'): void {
    const key = JSON.stringify([file, message]);
    if (!this.#notes.has(key)) this.#notes.set(key, { file, message, kind });
  }

  left(file: string, message: string): void {
    this.add(file, message, 'left');
  }

  list(): MigrationNote[] {
    return [...this.#notes.values()];
  }
}

/** A note as a comment in the new file. */
export function noteComment(message: string): string {
  return `// TODO (migrate): ${message.replaceAll('\n', ' ')}\n`;
}
