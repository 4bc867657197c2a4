import type { Node, ParamPattern } from 'oxc-parser';
import { SourceFile } from '../../../functions/compiler/source-file.ts';
import { writeEndpoint, writeList } from './definition-text.ts';
import { declaresLocally, importedAs, importsZod, listBatchCalls, nameOfZod } from './file-names.ts';
import { type Notes, noteComment } from './migration-notes.ts';
import { listFields, SDK_TYPES } from './models-file.ts';
import type { OldFunction } from './old-config.ts';
import { changeImports, type OldModules, startOf } from './old-modules.ts';
import {
  type AnyFunction,
  canMove,
  type FoundFunction,
  findDefaultExport,
  findNamed,
  listReturned,
  NO_FUNCTION,
  returnsNothing,
  templateTexts,
  usedNames,
} from './old-source.ts';
import { ANY, isNumeric, modelsIn, quoteText, renameModels, type Shape, writeShape } from './schema-shape.ts';
import { TextEdits } from './text-edits.ts';
import { readInlineType, readTypeNode, type TypeNames } from './type-text.ts';
import type { OldModel } from './yaml-models.ts';

export interface TurnFunctionOptions {
  /** The function as nango.yaml describes it; undefined when nango.yaml does not name it. */
  described: OldFunction;
  text: string;
  /** Paths of the file in the old project and in the new one. */
  from: string;
  place: string;
  modules: OldModules;
  models: ReadonlyMap<string, OldModel>;
  notes: Notes;
  /** Names that other files import from this one. */
  importedNames: ReadonlySet<string>;
  onOtherModel: (name: string) => void;
}

export interface TurnedFunction {
  text: string;
  isTurned: boolean;
}

const RETURNED =
  'It returned a value. Only what batchSave, batchUpdate and batchDelete get is stored: save the records there.';

/** In syncs of the old format, the function that handled webhooks. */
const WEBHOOK_FUNCTION = 'onWebhookPayloadReceived';
const DEFINERS = { sync: 'createSync', action: 'createAction', 'on-event': 'createOnEvent' } as const;

/** Turns the file of a function into one of the present format. What cannot be turned is returned with a comment. */
export function turnFunction(options: TurnFunctionOptions): TurnedFunction {
  const file = new SourceFile(options.from, options.text);
  const [syntaxError] = file.syntaxErrors;
  if (syntaxError) return leave(options, `It cannot be read: ${syntaxError.message} (line ${syntaxError.line}).`);
  const exported = findDefaultExport(file);
  if (exported.kind === 'definition') return { text: options.text, isTurned: true };
  if (exported.kind !== 'function') return leave(options, NO_FUNCTION[exported.kind]);
  return new Turning(options, file, exported.found).turn();
}

function leave({ text, place, notes }: TurnFunctionOptions, message: string): TurnedFunction {
  notes.left(place, message);
  return { text: noteComment(`left as it was. ${message}`) + text, isTurned: false };
}

class Turning {
  readonly #options: TurnFunctionOptions;
  readonly #file: SourceFile;
  readonly #found: FoundFunction;
  readonly #edits: TextEdits;
  /** Models that the definition uses, with their names in this file. */
  readonly #values = new Map<string, string>();
  readonly #zod: string;
  /** Places of the code that the new file does not have. */
  readonly #removed: Array<{ start: number; end: number }> = [];
  /** One level of indentation in this file. */
  readonly #level: string;
  #needsZod = false;
  #comments = '';

  constructor(options: TurnFunctionOptions, file: SourceFile, found: FoundFunction) {
    this.#options = options;
    this.#file = file;
    this.#found = found;
    this.#edits = new TextEdits(options.text);
    this.#zod = nameOfZod(file);
    this.#level = /^(\t| {2}(?: {2})?)\S/m.exec(options.text)?.[1] ?? '  ';
  }

  turn(): TurnedFunction {
    const { described, text, from, place, modules, models, onOtherModel } = this.#options;
    const settings = this.#settings();
    this.#fixNumericIds();
    const exec = this.#property('exec', this.#found);
    const webhook = this.#webhookHandler();
    this.#unexport();
    const body = [...settings, '', exec.property, ...(webhook ? ['', webhook.property] : [])].join('\n');
    const definer = DEFINERS[described.kind];
    const definition = `${this.#comments}export default ${definer}({\n${body}\n});`;
    const { statement, exporting } = this.#found;
    if (exec.isMoved) {
      this.#edits.replace(statement.start, statement.end, definition);
      if (exporting) this.#edits.removeLine(exporting.start, exporting.end);
    } else if (exporting) this.#edits.replace(exporting.start, exporting.end, definition);
    else {
      this.#edits.replace(statement.start, this.#found.node.start, '');
      this.#edits.insert(text.length, `\n${definition}\n`);
    }
    const used = usedNames(text, this.#file, this.#removed);
    for (const word of body.match(/[A-Za-z_$][\w$]*/g) ?? []) used.add(word);
    this.#edits.insert(startOf(this.#file), this.#newImports(definer));
    changeImports({
      file: this.#file,
      from,
      place,
      edits: this.#edits,
      modules,
      models,
      values: this.#values,
      used,
      onOther: onOtherModel,
    });
    return { text: this.#edits.toString().replace(/(?<!\n)\n{2,}$/, '\n'), isTurned: true };
  }

  /** The lines of the definition before `exec`. */
  #settings(): string[] {
    const { described, place, notes } = this.#options;
    for (const remark of described.remarks) this.#remark(remark);
    const lines: Array<[string, string | undefined]> = [
      ['description', quoteText(described.description)],
      ['version', described.version === undefined ? undefined : quoteText(described.version)],
    ];
    if (described.kind === 'sync') {
      const models = this.#syncModels();
      const endpoints = described.endpoints.map(writeEndpoint);
      const fits = endpoints.length === models.length;
      if (endpoints.length > 0 && !fits)
        this.#remark(
          `Its endpoints (${endpoints.length}) do not fit its models (${models.length}), so they were left out: ${endpoints.join(', ')}`,
        );
      const metadata = this.#schemaOf(described.input);
      lines.push(
        ['frequency', quoteText(described.frequency ?? 'every day')],
        ['autoStart', String(described.autoStart)],
        ['syncType', described.syncType === undefined ? undefined : quoteText(described.syncType)],
        ['trackDeletes', described.trackDeletes ? 'true' : undefined],
        ['endpoints', endpoints.length > 0 && fits ? `[${endpoints.join(', ')}]` : undefined],
        ['scopes', writeList(described.scopes)],
        ['webhookSubscriptions', writeList(described.webhookSubscriptions)],
        ['metadata', metadata],
        ['models', models.length === 0 ? '{}' : `{ ${models.join(', ')} }`],
      );
    } else if (described.kind === 'action') {
      const [endpoint, ...further] = described.endpoints.map(writeEndpoint);
      if (further.length > 0) this.#remark(`An action has one endpoint. Left out: ${further.join(', ')}`);
      lines.push(
        ['endpoint', endpoint],
        ['scopes', writeList(described.scopes)],
        ['input', this.#schemaOf(described.input) ?? this.#inputOfCode()],
        ['output', this.#outputSchema()],
      );
    } else lines.push(['event', quoteText(described.event ?? 'post-connection-creation')]);
    if (described.kind === 'sync' && lines.some(([key, value]) => key === 'models' && value === '{}'))
      notes.left(place, 'It has no model. Say in "models" what it saves.');
    return lines.flatMap(([key, value]) => (value === undefined ? [] : [`${this.#level}${key}: ${value},`]));
  }

  #remark(message: string): void {
    this.#options.notes.add(this.#options.place, message);
    this.#comments += noteComment(message);
  }

  #names(): TypeNames {
    const { models } = this.#options;
    return {
      isModel: (name) => models.has(name),
      onUnknown: (text) => this.#remark(`The type ${text} has no schema: any value fits.`),
    };
  }

  #write(shape: Shape): string {
    for (const model of modelsIn(shape)) this.#use(model);
    const renamed = renameModels(shape, (name) => this.#values.get(name) ?? name);
    const written = writeShape(renamed, { zod: this.#zod }, this.#level);
    if (written.includes(`${this.#zod}.`)) this.#needsZod = true;
    return written;
  }

  /** A schema for a type in the words of nango.yaml. */
  #schemaOf(type: unknown): string | undefined {
    if (type === undefined) return undefined;
    const shape = readInlineType(type, this.#names());
    if (shape) return this.#write(shape);
    this.#remark(`nango.yaml had an input or output of an unexpected form: ${JSON.stringify(type)}`);
    return this.#write({ kind: 'zod', code: 'z.any()' });
  }

  /** nango.yaml had no input: what the code accepts. */
  #inputOfCode(): string {
    const [, input] = this.#found.node.params;
    if (!input) return this.#write({ kind: 'undefined' });
    this.#remark('nango.yaml had no input for it. The schema is the type in its code.');
    return this.#schemaOfAnnotation(input);
  }

  #outputSchema(): string {
    const { output } = this.#options.described;
    const [only] = output;
    if (output.length === 1) return this.#schemaOf(only) ?? '';
    if (output.length > 1) {
      const shapes = output.map((one) => readInlineType(one, this.#names()) ?? ANY);
      return this.#write({ kind: 'union', of: shapes });
    }
    const returned = this.#found.node.returnType;
    if (!returned) return this.#write({ kind: 'zod', code: 'z.unknown()' });
    const shape = this.#quietShape(returned.typeAnnotation);
    if (shape.kind !== 'undefined')
      this.#remark('nango.yaml had no output for it. The schema is the type in its code.');
    return this.#write(shape);
  }

  #schemaOfAnnotation(parameter: ParamPattern): string {
    const annotation = 'typeAnnotation' in parameter ? parameter.typeAnnotation : undefined;
    return this.#write(annotation ? this.#quietShape(annotation.typeAnnotation) : { kind: 'zod', code: 'z.any()' });
  }

  /** A type in the code is a help only, so an unknown one is no remark. */
  #quietShape(node: Node): Shape {
    return readTypeNode(node, this.#options.text, { ...this.#names(), onUnknown: () => {} });
  }

  /** The members of `models`. Without an output in nango.yaml, the models that the code saves. */
  #syncModels(): string[] {
    const { described, models } = this.#options;
    let names = described.output.flatMap((one) => String(one).split(',')).map((one) => one.trim().replace(/\[\]$/, ''));
    if (names.length === 0) {
      names = [...new Set(listBatchCalls(this.#file).map(({ model }) => model))].filter((name) => models.has(name));
      if (names.length > 0) this.#remark(`nango.yaml had no output for it. Its code saves ${names.join(', ')}.`);
    }
    return names.flatMap((name) => {
      if (!models.has(name)) {
        this.#options.notes.left(this.#options.place, `Its model ${name} is not in nango.yaml. Add a schema for it.`);
        this.#comments += noteComment(`its model ${name} was not in nango.yaml.`);
        return [];
      }
      return [this.#syncModel(name)];
    });
  }

  #syncModel(name: string): string {
    const local = this.#use(name);
    const id = listFields(name, this.#options.models).find((field) => field.name === 'id');
    if (!id)
      this.#remark(`Records need an id, and the model ${name} has none. Add it to the model and to the records.`);
    if (id && isNumeric(id.shape)) {
      this.#needsZod = true;
      if (!listBatchCalls(this.#file).some(({ model }) => model === name))
        this.#remark(`The ids of ${name} are numbers. Make them texts where they are saved: String(record.id).`);
      return `${name}: ${local}.extend({ id: ${this.#zod}.string() })`;
    }
    return name === local ? name : `${name}: ${local}`;
  }

  /** Imports a model as a value; returns its name in this file. */
  #use(model: string): string {
    const known = this.#values.get(model);
    if (known !== undefined) return known;
    const imported = this.#importedModel(model);
    const local = imported ?? (declaresLocally(this.#file, model) ? `${model}Model` : model);
    this.#values.set(model, local);
    return local;
  }

  #importedModel(model: string): string | undefined {
    const { modules, from } = this.#options;
    return importedAs(this.#file, model, (specifier) => modules.isModels(from, specifier));
  }

  #newImports(definer: string): string {
    const zod = this.#needsZod && !importsZod(this.#file, this.#zod) ? `import * as ${this.#zod} from 'zod';\n` : '';
    return `import { ${definer} } from 'homeport';\n${zod}`;
  }

  /** `exec: async (nango) => { … }`, or `exec: name` for a function that must stay where it is. */
  #property(key: string, found: FoundFunction): { property: string; isMoved: boolean } {
    const { node, name } = found;
    const { described, text } = this.#options;
    const returned = described.kind === 'action' ? [] : listReturned(this.#file, node);
    const isEmpty = returned.every((statement) => returnsNothing(statement));
    const start = `${this.#level}${key}: `;
    if (!isEmpty) this.#remark(RETURNED);
    if (!isEmpty && name !== undefined) {
      const parameters = node.params.map((_, index) => (index === 0 ? 'nango' : 'payload')).join(', ');
      const call = `await ${name}(${parameters});`;
      const inner = `${this.#level}${this.#level}${call}`;
      return { property: `${start}async (${parameters}) => {\n${inner}\n${this.#level}},`, isMoved: false };
    }
    if (!canMove(this.#file, found))
      return { property: `${start}${name ?? `(${this.#sourceOf(node)})`},`, isMoved: name === undefined };
    for (const statement of returned) this.#edits.replace(statement.start, statement.end, 'return;');
    this.#indent(node);
    const parameters = node.params.map((parameter, index) => this.#parameter(parameter, index)).join(', ');
    const hasType = node.returnType && returned.length === 0;
    const returns = hasType ? text.slice(node.returnType?.start, node.returnType?.end) : '';
    const body = node.body ? this.#edits.between(node.body.start, node.body.end) : '{}';
    return { property: `${start}${node.async ? 'async ' : ''}(${parameters})${returns} => ${body},`, isMoved: true };
  }

  #sourceOf(node: Node): string {
    return this.#edits.between(node.start, node.end);
  }

  /** The type of the context follows from the definition, and that of an input whose type the file declares again. */
  #parameter(parameter: ParamPattern, index: number): string {
    const { text, described } = this.#options;
    const source = text.slice(parameter.start, parameter.end);
    if (parameter.type !== 'Identifier' || !parameter.typeAnnotation) return source;
    const { typeAnnotation } = parameter.typeAnnotation;
    const type = text.slice(typeAnnotation.start, typeAnnotation.end);
    const follows =
      index === 0 ? SDK_TYPES.has(type) : type === described.input && this.#importedModel(type) === undefined;
    if (!follows) return source;
    this.#removed.push({ start: parameter.typeAnnotation.start, end: parameter.typeAnnotation.end });
    return parameter.name;
  }

  /** The body stands one level deeper than before; texts of several lines stay as they are. */
  #indent({ body }: AnyFunction): void {
    if (!body) return;
    const texts = templateTexts(this.#file);
    const { text } = this.#options;
    for (let at = text.indexOf('\n', body.start); at !== -1 && at < body.end; at = text.indexOf('\n', at + 1)) {
      const isBlank = /^[ \t]*\r?\n/.test(text.slice(at + 1, at + 200));
      if (!isBlank && !texts.some(({ start, end }) => start <= at && at < end)) this.#edits.insert(at + 1, this.#level);
    }
  }

  #webhookHandler(): { property: string } | undefined {
    if (this.#options.described.kind !== 'sync') return undefined;
    const found = findNamed(this.#file.program.body, WEBHOOK_FUNCTION);
    if (!found) return undefined;
    const handler = this.#property('onWebhook', found);
    if (handler.isMoved) this.#edits.removeLine(found.statement.start, found.statement.end);
    if (this.#options.described.webhookSubscriptions.length === 0)
      this.#remark('nango.yaml named no webhook types for it. Name them in webhookSubscriptions; "*" means all.');
    return handler;
  }

  /** A function file exports its definition only. */
  #unexport(): void {
    const { importedNames } = this.#options;
    for (const statement of this.#file.program.body) {
      if (statement.type !== 'ExportNamedDeclaration' || statement.exportKind === 'type' || statement.source) continue;
      const { declaration } = statement;
      if (!declaration) continue;
      if (!['FunctionDeclaration', 'VariableDeclaration'].includes(declaration.type)) continue;
      const names =
        declaration.type === 'VariableDeclaration'
          ? declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []))
          : 'id' in declaration && declaration.id?.type === 'Identifier'
            ? [declaration.id.name]
            : [];
      if (statement === this.#found.statement || names.includes(WEBHOOK_FUNCTION)) continue;
      const wanted = names.filter((name) => importedNames.has(name));
      if (wanted.length === 0) this.#edits.replace(statement.start, declaration.start, '');
      else {
        const message = `${wanted.join(', ')} must not be exported here, and other files import it. Move it into a file of its own.`;
        this.#options.notes.left(this.#options.place, message);
        this.#edits.replace(statement.start, declaration.start, `${noteComment(message)}export `);
      }
    }
  }

  /** Records have a text as id. The old format turned a number into one when it saved the record. */
  #fixNumericIds(): void {
    const { described, models } = this.#options;
    if (described.kind !== 'sync') return;
    const fixed = new Set<string>();
    for (const { call, model, method } of listBatchCalls(this.#file)) {
      const id = listFields(model, models).find((field) => field.name === 'id');
      const [records] = call.arguments;
      if (!id || !isNumeric(id.shape) || !records) continue;
      const local = this.#use(model);
      const type = method === 'batchSave' || method === 'batchSend' ? local : `Partial<${local}>`;
      const isPlain = ['Identifier', 'MemberExpression', 'CallExpression', 'ArrayExpression'].includes(records.type);
      if (!isPlain) this.#edits.insert(records.start, '(');
      this.#edits.insert(
        records.end,
        `${isPlain ? '' : ')'}.map((record: ${type}) => ({ ...record, id: String(record.id) }))`,
      );
      if (call.typeArguments) this.#edits.replace(call.typeArguments.start, call.typeArguments.end, '');
      fixed.add(model);
    }
    for (const model of fixed) this.#remark(`The ids of ${model} are numbers. They are saved as texts, as before.`);
  }
}
