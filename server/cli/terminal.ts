import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import { buffer as bufferOf, text as textOf } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import pico from 'picocolors';
import { withCommandName } from '../platform/lib/command-name.ts';
import { terminalJson, terminalText } from '../platform/lib/terminal-text.ts';
import { tableLines, wrapText } from '../platform/lib/text-table.ts';
import { CliFailure, EXIT, failureJson } from './cli-failure.ts';

export interface TerminalStreams {
  input: Readable & { isTTY?: boolean };
  output: Writable & { isTTY?: boolean; columns?: number };
  /** `columns` is 0 on a terminal of unknown width. */
  errors: Writable & { isTTY?: boolean; columns?: number };
}

export interface TerminalOptions extends TerminalStreams {
  env: Record<string, string | undefined>;
  /** The command that a person types for `homeport` here. */
  commandName: string;
}

/** Output of a command: results go to stdout, all other messages to stderr. */
export class Terminal {
  readonly colors: ReturnType<typeof pico.createColors>;
  /** Results are JSON; messages for people are left out. */
  isJson = false;
  /** Selects from a JSON document what is printed, one text a line (`--jq`). */
  jsonFilter: ((json: string) => string[]) | undefined;
  /** Whether questions may be asked. */
  isInteractive: boolean;
  #hasPrintedJson = false;
  readonly #streams: TerminalStreams;
  readonly #commandName: string;
  readonly #forcesColor: boolean;

  constructor({ env, commandName, ...streams }: TerminalOptions) {
    this.#commandName = commandName;
    const mayColor = streams.output.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
    this.#forcesColor = Boolean(env['FORCE_COLOR'] && env['FORCE_COLOR'] !== '0');
    this.colors = pico.createColors(mayColor || this.#forcesColor);
    this.isInteractive = streams.input.isTTY === true && streams.output.isTTY === true && !env['CI'];
    this.#streams = streams;
  }

  /** Prints a sentence of a result for people. On a terminal it wraps by words to its width. */
  print(text: string): void {
    if (!this.isJson) this.#streams.output.write(`${this.wrap(this.#clean(text))}\n`);
  }

  /** Prints a result that a person may copy, such as an id or a document: its lines stay as they are. */
  printValue(text: string): void {
    if (!this.isJson) this.#streams.output.write(`${this.#clean(text)}\n`);
  }

  /** Wraps a text for the terminal that results go to. Otherwise it stays as it is. */
  wrap(text: string): string {
    return wrapped(text, this.#streams.output);
  }

  /** Prints a result for programs. Only with `--json`, and once per command. */
  printJson(value: unknown): void {
    if (!this.isJson || this.#hasPrintedJson) return;
    // Throws where a filter does not fit; the failure is the document then.
    this.#writeJson(value, 2);
    this.#hasPrintedJson = true;
  }

  /** While a command follows something, JSON is one document per line: a list without an end could not be parsed. */
  printJsonLine(value: unknown): void {
    if (!this.isJson) return;
    this.#writeJson(value);
  }

  /** Prints a JSON document of the hub or a provider as it came, with its order and the digits of its numbers. */
  printJsonText(json: string): void {
    if (this.jsonFilter) this.#writeFiltered(json);
    else this.write(json === '' || json.endsWith('\n') ? json : `${json}\n`);
    this.#hasPrintedJson = true;
  }

  #writeJson(value: unknown, indent?: number): void {
    const json = JSON.stringify(value, null, indent);
    if (this.jsonFilter) this.#writeFiltered(json);
    else this.#streams.output.write(`${terminalJson(json)}\n`);
  }

  /** What a filter selects may be plain text. */
  #writeFiltered(json: string): void {
    for (const text of this.jsonFilter?.(json) ?? []) this.write(`${text}\n`);
  }

  /**
   * Writes the result itself, for example a token or the text of a file. The bytes stay unchanged unless a person reads
   * them.
   */
  write(text: string): void {
    this.#streams.output.write(this.#streams.output.isTTY ? terminalText(text) : text);
  }

  /** Writes bytes of a result; resolves when the reader has taken them. */
  async writeBytes(bytes: Uint8Array): Promise<void> {
    if (this.#streams.output.isTTY) return this.write(new TextDecoder().decode(bytes));
    if (!this.#streams.output.write(bytes)) await once(this.#streams.output, 'drain');
  }

  /** Prints what a person must know whatever the form of the output is. */
  tell(text: string): void {
    this.#say(`${this.#clean(text)}\n`);
  }

  /** Characters in a line of messages. */
  get messageWidth(): number {
    return this.#streams.errors.columns || 80;
  }

  /** Prints a message that is not a result. */
  note(text: string): void {
    if (!this.isJson) this.#say(`${this.#clean(text)}\n`);
  }

  /** Writes a message, which is for a person. */
  #say(text: string): void {
    const { errors } = this.#streams;
    const shown = errors.isTTY || this.#forcesColor ? text : stripVTControlCharacters(text);
    errors.write(wrapped(shown, errors));
  }

  /** Prints why the command fails, in the form of the output that was asked for. */
  fail(failure: CliFailure): void {
    if (!this.isJson) {
      this.#say(`${this.colors.red('error:')} ${this.#clean(failure.message)}\n`);
      return;
    }
    // A result that was printed, for example of a failed test run, says more.
    if (this.#hasPrintedJson) return;
    // A filter is for results. A failure is always the whole document.
    this.jsonFilter = undefined;
    this.printJson(failureJson(failure, this.withCommands(failure.message)));
  }

  /** Prints rows under headings. On a terminal the cells wrap by words to its width. */
  table(headings: string[], rows: string[][]): void {
    const { isTTY, columns } = this.#streams.output;
    const width = isTTY && columns ? columns : undefined;
    for (const line of tableLines({ headings, rows, width, paint: this.colors.dim })) this.printValue(line);
  }

  /** Both streams as they are, for a command that another program speaks with. */
  stdio(): Pick<TerminalStreams, 'input' | 'output'> {
    const { input, output } = this.#streams;
    return { input, output };
  }

  /** All of standard input, for example of a pipe. */
  async readInput(): Promise<string> {
    return textOf(this.#streams.input);
  }

  async readInputBytes(): Promise<Buffer> {
    return bufferOf(this.#streams.input);
  }

  /** Shows on a terminal that something takes time. */
  async progress<T>(text: string, work: Promise<T> | (() => Promise<T>)): Promise<T> {
    const { errors } = this.#streams;
    const isWatched = errors.isTTY === true && !this.isJson && hasWidth(errors);
    const running = typeof work === 'function' ? work() : work;
    // The work may fail while the spinner loads; it is awaited below.
    running.catch(() => {});
    const spinner = isWatched
      ? (await import('ora'))
          .default({
            text: this.#clean(text),
            stream: errors as NodeJS.WriteStream,
            discardStdin: false,
            // Its own rule does not know NO_COLOR.
            color: this.colors.isColorSupported ? 'cyan' : false,
          })
          .start()
      : undefined;
    const onResize = (): void => void (hasWidth(errors) || spinner?.stop());
    errors.on('resize', onResize);
    try {
      return await running;
    } finally {
      errors.off('resize', onResize);
      spinner?.stop();
    }
  }

  /**
   * Asks a question. Throws with the text `otherwise` when no person can answer. A hidden answer, such as a password, is
   * not shown while it is typed.
   */
  async ask(question: string, otherwise: string, { isHidden = false } = {}): Promise<string> {
    if (!this.isInteractive) throw new CliFailure(otherwise, EXIT.usage);
    const { input, errors } = this.#streams;
    const shown = `${wrapped(this.#clean(question), errors)} `;
    // The line editor writes what is typed together with the question, so it writes nothing here.
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    // readline, because @clack/prompts 1.9.0 neither resolves nor rejects when its input ends.
    const lines = createInterface(isHidden ? { input, output: nowhere, terminal: true } : { input, output: errors });
    const { promise: unanswered, reject } = Promise.withResolvers<never>();
    // At Ctrl-C or the end of input the command fails; otherwise it would end as if it had succeeded.
    lines.once('close', () => reject(new CliFailure('Nothing was answered.', EXIT.interrupted)));
    try {
      // From here on the terminal shows nothing of what is typed.
      if (isHidden) errors.write(shown);
      const answer = lines.question(isHidden ? '' : shown);
      return (await Promise.race([answer, unanswered])).trim();
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
      throw new CliFailure('Nothing was answered.', EXIT.interrupted);
    } finally {
      lines.close();
      if (isHidden) errors.write('\n');
    }
  }

  /** Replaces `homeport` in a text by the command as it is typed here. */
  withCommands(text: string): string {
    return withCommandName(text, this.#commandName);
  }

  /**
   * Removes control characters: texts may contain words of a provider or a function, which must not control the
   * terminal.
   */
  #clean(text: string): string {
    return terminalText(this.withCommands(text), { keepsColors: this.colors.isColorSupported });
  }

  /** Asks for yes or no. Throws with the text `otherwise` when no person can answer. */
  async confirm(question: string, otherwise: string): Promise<boolean> {
    return /^y(es)?$/i.test(await this.ask(`${question} [y/N]`, otherwise));
  }

  /** Asks for one of several choices by its number. */
  async choose<T>(question: string, choices: Array<{ label: string; value: T }>, otherwise: string): Promise<T> {
    if (this.isInteractive) for (const [index, { label }] of choices.entries()) this.note(`  ${index + 1}  ${label}`);
    const picked = choices[Number(await this.ask(question, otherwise)) - 1];
    if (!picked) throw new CliFailure(`Answer with a number from 1 to ${choices.length}.`, EXIT.usage);
    return picked.value;
  }
}

function wrapped(text: string, { isTTY, columns }: TerminalStreams['errors']): string {
  return isTTY && columns ? wrapText(text, columns) : text;
}

/** The spinner library divides by the width; with a width of 0 it would clear lines for ever. */
function hasWidth({ columns = 80 }: TerminalStreams['errors']): boolean {
  return columns > 0;
}
