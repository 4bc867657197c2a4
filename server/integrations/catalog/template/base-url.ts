import { HomeportError } from '../../../platform/lib/homeport-error.ts';
import type { FieldDefinition } from '../field-schema.ts';
import { fitsField } from '../field-schema.ts';
import type { Expression, Template, TemplatePart } from './parse-template.ts';
import { resolveExpression, resolveParts, type TemplateContext } from './resolve-template.ts';

type FieldRules = Record<string, FieldDefinition> | undefined;

/** The position of a placeholder decides what its value may contain. */
type Position = 'scheme' | 'whole' | 'host' | 'rest';

/**
 * Resolves a base address so that no value can change the host: a value in the host part must match its declared
 * pattern and may not contain a character that ends a host.
 */
export function resolveBaseUrl(template: Template, context: TemplateContext, fields: FieldRules): string {
  const parts = chooseAlternative(template, context);
  let text = '';
  parts.forEach((part, index) => {
    if (typeof part === 'string') {
      text += part;
      return;
    }
    const value = resolveExpression(part, context);
    if (typeof value !== 'string') throw missingConfig(value.missing);
    const position = positionOf(text, parts[index + 1]);
    checkValue(value, part, position, parts[index + 1], fields);
    text += value;
  });
  return text;
}

function chooseAlternative(template: Template, context: TemplateContext): TemplatePart[] {
  const [first = [], second] = template.alternatives;
  if (second === undefined) return first;
  const left = resolveParts(first, context);
  return left.missing.length === 0 && left.text !== '' ? first : second;
}

function positionOf(before: string, next: TemplatePart | undefined): Position {
  const following = typeof next === 'string' ? next : '';
  if (before === '') {
    if (following.startsWith('://')) return 'scheme';
    return next === undefined || /^[/?#]/.test(following) ? 'whole' : 'host';
  }
  const authority = before.indexOf('://');
  return authority !== -1 && !/[/?#\\]/.test(before.slice(authority + 3)) ? 'host' : 'rest';
}

function checkValue(
  value: string,
  part: Expression,
  position: Position,
  next: TemplatePart | undefined,
  fields: FieldRules,
): void {
  if (/[\r\n\t\0]/.test(value)) throw unfitConfig(part);
  if (position === 'rest') return;
  if (!fitsField(value, fieldOf(part, fields))) throw unfitConfig(part);
  if (position === 'scheme' && !/^https?$/.test(value)) throw unfitConfig(part);
  const allowed = allowedInHost(next, fieldOf(part, fields));
  if (position === 'host' && !allowed.test(value)) throw unfitConfig(part);
  if (position === 'whole' && !isWebAddress(value)) throw unfitConfig(part);
}

/**
 * A value at the end of the host chooses the host anyway, so it may contain a port, and a path if its own pattern
 * allows one.
 */
function allowedInHost(next: TemplatePart | undefined, field: FieldDefinition | undefined): RegExp {
  const endsHost = next === undefined || (typeof next === 'string' && /^[/?#]/.test(next));
  // A port is refused before the rest of the host: `evil.test:` + `.acme.test`.
  if (!endsHost) return /^[^\s/?#@\\%:]+$/;
  return field?.pattern === undefined ? /^[^\s/?#@\\%]+$/ : /^[^\s/?#@\\%]+(\/[^\s?#@\\%]*)?$/;
}

function isWebAddress(value: string): boolean {
  const url = URL.parse(value);
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    /^https?:\/\/[^\\]+$/i.test(value)
  );
}

function fieldOf(part: Expression, fields: FieldRules): FieldDefinition | undefined {
  if (part.kind !== 'path') return undefined;
  const key = /^connection_?[cC]onfig\.(.+)$/.exec(part.path)?.[1];
  return key !== undefined && fields && Object.hasOwn(fields, key) ? fields[key] : undefined;
}

function missingConfig(paths: string[]): HomeportError {
  return new HomeportError(
    'missing_connection_config',
    `The connection lacks a value that the address needs: ${paths.join(', ')}.`,
  );
}

function unfitConfig(part: Expression): HomeportError {
  return new HomeportError(
    'missing_connection_config',
    `The value of ${part.source} does not fit into the address of the provider. Correct it in the connection.`,
  );
}
