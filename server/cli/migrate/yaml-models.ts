import { type Document, isMap, isScalar } from 'yaml';
import { isJsonObject } from '../../platform/lib/json-object.ts';
import type { Notes } from './migration-notes.ts';
import type { OldYaml } from './old-yaml.ts';
import type { Shape, ShapeField } from './schema-shape.ts';
import { readTypeText, type TypeNames } from './type-text.ts';

/** A model of nango.yaml. */
export interface OldModel {
  name: string;
  /** Without the fields of the models that it extends. */
  shape: Shape;
  extended: string[];
  remarks: string[];
}

export interface YamlModelsOptions {
  yaml: OldYaml;
  notes: Notes;
  /** The type of a field in the generated `models.ts` of the old project. It decides where nango.yaml is ambiguous. */
  generatedType: (model: string, field: string, names: TypeNames) => Shape | undefined;
}

/** Reads the section `models` of a nango.yaml. */
export function readYamlModels({ yaml, notes, generatedType }: YamlModelsOptions): Map<string, OldModel> {
  const section = isJsonObject(yaml.values) ? yaml.values['models'] : undefined;
  if (!isJsonObject(section)) return new Map();
  const usable = Object.entries(section).filter(([name]) => {
    const isUsable = /^[A-Za-z_$][\w$]*$/.test(name);
    if (!isUsable) notes.left('models.ts', `The model "${name}" cannot have this name in TypeScript. Rename it.`);
    return isUsable;
  });
  const reader = new ModelReader(yaml.document, new Set(usable.map(([name]) => name)), notes, generatedType);
  const models = new Map(usable.map(([name, value]) => [name, reader.readModel(name, value)]));
  endCircles(models, notes);
  return models;
}

/** A model that extends itself, also over others, would have no end. */
function endCircles(models: Map<string, OldModel>, notes: Notes): void {
  const finished = new Set<string>();
  const visit = (name: string, above: readonly string[]): void => {
    const model = models.get(name);
    if (!model || finished.has(name)) return;
    const around = [...above, name];
    for (const base of model.extended.filter((one) => around.includes(one)))
      notes.add('models.ts', `The model ${name} extends ${base}, which extends ${name} in turn. This was left out.`);
    model.extended = model.extended.filter((one) => !around.includes(one));
    for (const base of model.extended) visit(base, around);
    finished.add(name);
  };
  for (const name of models.keys()) visit(name, []);
}

class ModelReader {
  readonly #document: Document;
  readonly #known: ReadonlySet<string>;
  readonly #notes: Notes;
  readonly #generatedType: YamlModelsOptions['generatedType'];

  constructor(
    document: Document,
    known: ReadonlySet<string>,
    notes: Notes,
    generatedType: YamlModelsOptions['generatedType'],
  ) {
    this.#document = document;
    this.#known = known;
    this.#notes = notes;
    this.#generatedType = generatedType;
  }

  readModel(name: string, value: unknown): OldModel {
    const path = ['models', name];
    const { before } = this.#remarksAt(path);
    if (!isJsonObject(value)) return { name, shape: this.#readValue(path, value), extended: [], remarks: before };
    const { __extends: extending, ...fields } = value;
    const extended = [extending ?? []]
      .flat()
      .flatMap((one) => String(one).split(','))
      .map((one) => one.trim())
      .filter((one) => one !== '');
    const unknown = extended.filter((one) => !this.#known.has(one));
    for (const one of unknown)
      this.#notes.add(
        'models.ts',
        `The model ${name} extends ${one}, which nango.yaml does not contain. Add its fields.`,
      );
    const found = extended.filter((one) => this.#known.has(one));
    return { name, shape: this.#readFields(path, fields), extended: found, remarks: before };
  }

  #readFields(path: string[], value: Record<string, unknown>): Shape {
    const fields: ShapeField[] = [];
    let rest: Shape | undefined;
    for (const [key, inner] of Object.entries(value)) {
      const shape = this.#readValue([...path, key], inner);
      if (/^__(?:string|number)$/.test(key)) {
        rest = shape;
        continue;
      }
      const { before, behind } = this.#remarksAt([...path, key]);
      const remarks = [...before, ...behind];
      fields.push({
        name: key.replace(/\?$/, ''),
        shape,
        isOptional: key.endsWith('?'),
        ...(remarks.length > 0 ? { remarks } : {}),
      });
    }
    return { kind: 'object', fields, ...(rest ? { rest } : {}) };
  }

  #readValue(path: string[], value: unknown): Shape {
    if (typeof value === 'string') {
      const shape = readTypeText(value, this.#namesAt(path));
      if (/\?\s*$/.test(value) && shape.kind === 'union')
        this.#notes.add('models.ts', `${path.slice(1).join('.')} was written "${value}" and is read as optional.`);
      return shape;
    }
    if (value === null || typeof value === 'number' || typeof value === 'boolean') return { kind: 'literal', value };
    if (Array.isArray(value)) return this.#readList(path, value);
    if (isJsonObject(value)) return this.#readFields(path, value);
    this.#notes.add('models.ts', `${path.slice(1).join('.')} has a form that nango.yaml did not have.`);
    return { kind: 'zod', code: 'z.any()' };
  }

  /** A list of YAML: the generated types of the old project say what it meant. */
  #readList(path: string[], values: unknown[]): Shape {
    const [, model = '', field = ''] = path;
    const generated = path.length === 3 ? this.#generatedType(model, field, this.#namesAt(path)) : undefined;
    if (generated) return generated;
    const of = values.map((value, index) => this.#readValue([...path, String(index)], value));
    const [only = { kind: 'zod', code: 'z.any()' } satisfies Shape] = of;
    this.#notes.add(
      'models.ts',
      `${path.slice(1).join('.')} was a list of types and is read as a list of such values.`,
    );
    return { kind: 'list', of: of.length > 1 ? { kind: 'union', of } : only };
  }

  #namesAt(path: string[]): TypeNames {
    return {
      isModel: (name) => this.#known.has(name),
      onUnknown: (text) =>
        this.#notes.add(
          'models.ts',
          `${path.slice(1).join('.')} has the type ${text}, which has no schema: any value fits.`,
        ),
    };
  }

  /** Comments of nango.yaml above a key and behind its value. */
  #remarksAt(path: string[]): { before: string[]; behind: string[] } {
    const parent: unknown = this.#document.getIn(path.slice(0, -1), true);
    const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1)) : undefined;
    const key = isScalar(pair?.key) ? pair.key : undefined;
    const value = isScalar(pair?.value) ? pair.value : undefined;
    // What stands above the first key belongs to the whole map in the parser's tree.
    const ofMap = isMap(parent) && pair !== undefined && parent.items[0] === pair ? linesOf(parent.commentBefore) : [];
    return { before: [...ofMap, ...linesOf(key?.commentBefore)], behind: linesOf(value?.comment) };
  }
}

function linesOf(comment: string | null | undefined): string[] {
  return (comment ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
