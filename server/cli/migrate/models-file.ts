import { modelsIn, type Shape, type ShapeField, writeFields, writeShape } from './schema-shape.ts';
import type { OldModel } from './yaml-models.ts';

/** Types that functions import and `'homeport'` exports. */
export const SDK_TYPES: ReadonlySet<string> = new Set([
  'ActionContext',
  'ActionError',
  'Connection',
  'CursorPagination',
  'FunctionContext',
  'LinkPagination',
  'NangoAction',
  'NangoSync',
  'OffsetPagination',
  'Pagination',
  'ProxyConfiguration',
  'SyncContext',
]);

const SDK_TYPES_OF_OLD_FILES = ['ActionError', 'NangoAction', 'NangoSync', 'ProxyConfiguration'];

export interface ModelsFileParts {
  models: ReadonlyMap<string, OldModel>;
  /** Declarations of the old `models.ts` that files still need, as they were. */
  kept: { imports: string[]; declarations: string[] };
  /** Whether files read the types of the context through this file. */
  exportsSdk: boolean;
  /** Notes about models, as comments at the top. */
  comments: string;
}

/** The new `models.ts`: one schema and one type of the same name for each model. */
export function writeModelsFile({ models, kept, exportsSdk, comments }: ModelsFileParts): string {
  const blocks: string[] = [];
  const sdk = exportsSdk ? `export type { ${SDK_TYPES_OF_OLD_FILES.join(', ')} } from 'homeport';\n` : '';
  const imports = [models.size > 0 ? "import * as z from 'zod';\n" : '', ...kept.imports, sdk].join('');
  const written = new Set<string>();
  for (const model of inOrder(models)) {
    const { name, remarks } = model;
    written.add(name);
    const schema = writeModel(model, models, (other) => other === name || !written.has(other));
    const lines = remarks.map((remark) => `// ${remark}\n`).join('');
    blocks.push(`${lines}export const ${name} = ${schema};\nexport type ${name} = z.infer<typeof ${name}>;\n`);
  }
  return [imports + (comments === '' ? '' : `\n${comments}`), ...blocks, ...kept.declarations]
    .filter((one) => one !== '')
    .join('\n');
}

function writeModel(
  { shape, extended }: OldModel,
  models: ReadonlyMap<string, OldModel>,
  isLater: (name: string) => boolean,
): string {
  if (shape.kind !== 'object' || extended.length === 0) return writeShape(lazily(shape, isLater), { isLater });
  const [first, ...others] = extended.filter((name) => listFields(name, models).length > 0);
  const rest = shape.rest ?? restOf(extended, models);
  const own = writeFields(shape.fields, { isLater }, '  ').join('\n');
  // `extend` reads the fields only when they are used, so a base may contain models that are declared later.
  const base = first === undefined ? undefined : `${first}${others.map((name) => `.extend(${name}.shape)`).join('')}`;
  const fields = own === '' ? '{}' : `{\n${own}\n}`;
  const object = base === undefined ? `z.object(${fields})` : own === '' ? base : `${base}.extend(${fields})`;
  return rest ? `${object}.catchall(${writeShape(rest)})` : object;
}

/** Outside of a field, where no getter can wait, a model that is declared later is looked up when it is used. */
function lazily(shape: Shape, isLater: (name: string) => boolean): Shape {
  const wait = (one: Shape): Shape => {
    if (one.kind === 'model') return isLater(one.name) ? lazy(one.name) : one;
    if (one.kind === 'list') return { kind: 'list', of: wait(one.of) };
    if (one.kind === 'union' || one.kind === 'call') return { ...one, of: one.of.map(wait) };
    return one;
  };
  if (shape.kind !== 'object') return wait(shape);
  return shape.rest ? { ...shape, rest: wait(shape.rest) } : shape;
}

function lazy(name: string): Shape {
  return { kind: 'zod', code: `z.lazy((): z.ZodType => ${name})` };
}

/** All fields of a model, those of the models that it extends first. */
export function listFields(
  name: string,
  models: ReadonlyMap<string, OldModel>,
  seen: ReadonlySet<string> = new Set(),
): ShapeField[] {
  const model = models.get(name);
  if (model?.shape.kind !== 'object' || seen.has(name)) return [];
  const inherited = model.extended.flatMap((base) => listFields(base, models, new Set([...seen, name])));
  const own = new Set(model.shape.fields.map((field) => field.name));
  return [...inherited.filter((field) => !own.has(field.name)), ...model.shape.fields];
}

function restOf(names: readonly string[], models: ReadonlyMap<string, OldModel>): Shape | undefined {
  for (const name of names) {
    const model = models.get(name);
    const rest = model?.shape.kind === 'object' ? (model.shape.rest ?? restOf(model.extended, models)) : undefined;
    if (rest) return rest;
  }
  return undefined;
}

/** Models after those that they contain, except in a circle. */
function inOrder(models: ReadonlyMap<string, OldModel>): OldModel[] {
  const ordered = new Set<OldModel>();
  const visiting = new Set<string>();
  const visit = (name: string): void => {
    const model = models.get(name);
    if (!model || ordered.has(model) || visiting.has(name)) return;
    visiting.add(name);
    for (const base of model.extended) visit(base);
    for (const contained of modelsIn(model.shape)) visit(contained);
    visiting.delete(name);
    ordered.add(model);
  };
  for (const name of models.keys()) visit(name);
  return [...ordered];
}
