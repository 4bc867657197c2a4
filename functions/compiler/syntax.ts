import { type Expression, type Node, type ObjectExpression, type ObjectProperty, visitorKeys } from 'oxc-parser';

/** Keys that contain only types. Types do not run, so the checks skip them. */
const TYPE_KEYS = new Set(['typeAnnotation', 'typeArguments', 'typeParameters', 'returnType', 'superTypeArguments']);
const TYPE_STATEMENTS = new Set(['TSInterfaceDeclaration', 'TSTypeAliasDeclaration']);

/**
 * Calls `visit` for every node that runs, parents first. `ancestors` is reused between calls, so `visit` must not keep
 * it.
 */
export function walk(root: Node, visit: (node: Node, ancestors: readonly Node[]) => void): void {
  const ancestors: Node[] = [];
  // Plain loops, because this runs for thousands of nodes in each of thousands of files.
  const enter = (node: Node): void => {
    if (TYPE_STATEMENTS.has(node.type)) return;
    visit(node, ancestors);
    ancestors.push(node);
    for (const key of runningKeysOf(node.type)) {
      // The types of nodes have no index signature; the parser's `visitorKeys` list the keys with child nodes.
      const value = (node as unknown as Record<string, Node | (Node | null)[] | null | undefined>)[key];
      if (Array.isArray(value)) {
        for (const child of value) if (child) enter(child);
      } else if (value) enter(value);
    }
    ancestors.pop();
  };
  enter(root);
}

const RUNNING_KEYS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(visitorKeys).map(([type, keys]) => [type, keys.filter((key) => !TYPE_KEYS.has(key))]),
);

function runningKeysOf(type: string): readonly string[] {
  return RUNNING_KEYS.get(type) ?? [];
}

/** Returns the expression without parentheses, `as`, `satisfies`, `!` and the wrapper of optional chains. */
export function unwrapped(node: Node): Node {
  switch (node.type) {
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
    case 'ChainExpression':
      return unwrapped(node.expression);
    default:
      return node;
  }
}

/** The literal name of a member or property: `a.name`, `a['name']`, `{name: …}`; undefined for computed names. */
export function writtenName(key: Node, computed: boolean): string | undefined {
  if (key.type === 'Identifier' && !computed) return key.name;
  return stringLiteral(key);
}

export function stringLiteral(node: Node | undefined): string | undefined {
  return node?.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}

/** The properties of an object literal that have a literal name. */
export function namedProperties(object: ObjectExpression): Map<string, ObjectProperty> {
  const properties = new Map<string, ObjectProperty>();
  for (const property of object.properties) {
    if (property.type !== 'Property') continue;
    const name = writtenName(property.key, property.computed);
    if (name !== undefined) properties.set(name, property);
  }
  return properties;
}

export function asObject(node: Node | Expression | undefined): ObjectExpression | undefined {
  if (!node) return undefined;
  const inner = unwrapped(node);
  return inner.type === 'ObjectExpression' ? inner : undefined;
}
