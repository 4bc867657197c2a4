import type { ParamTemplate } from '../../../integrations/catalog/proxy-schema.ts';
import { parseTemplate } from '../../../integrations/catalog/template/parse-template.ts';
import {
  resolveTemplate,
  type TemplateContext,
  valueAt,
} from '../../../integrations/catalog/template/resolve-template.ts';
import { HomeportError } from '../../../platform/lib/homeport-error.ts';
import type { TokenContext } from '../token-context.ts';

/** Values for the templates of one token request; `now` and `random` stay the same within the request. */
export type ParamScope = TemplateContext;

/** `connectionConfig.x`, `credentials.x` and bare members of `values` (auth-and-connect.md 3.4). */
export function paramScope(context: TokenContext, values: Record<string, unknown>): ParamScope {
  const { connectionConfig, ids } = context;
  return {
    now: context.now(),
    random: ids.uuid(),
    lookup: (path) => {
      const [, root, key = ''] = /^(connectionConfig|connection_config|credentials)\.(.+)$/.exec(path) ?? [];
      if (root === undefined || root === 'credentials') return valueAt(values, root ? key : path);
      // A form stores untouched optional fields as empty texts.
      const value = valueAt(connectionConfig, key);
      return value === '' ? undefined : value;
    },
  };
}

/** The filled text; undefined when a placeholder in it has no value. */
export function fillText(source: string, scope: ParamScope): string | undefined {
  const { text, missing } = resolveTemplate(parseTemplate(source), scope);
  return missing.length === 0 ? text : undefined;
}

/** Members without a value are left out, and so are objects and lists that become empty. */
export function fillParams(params: Record<string, ParamTemplate> | undefined, scope: ParamScope): Params {
  const filled = Object.entries(params ?? {}).map(([name, value]): [string, Param | undefined] => [
    name,
    fillParam(value, scope),
  ]);
  return Object.fromEntries(filled.filter((pair): pair is [string, Param] => pair[1] !== undefined));
}

/** Lower-case names; headers without a value are left out. */
export function fillHeaders(headers: Record<string, string> | undefined, scope: ParamScope): Record<string, string> {
  const filled = Object.entries(headers ?? {}).flatMap(([name, source]): Array<[string, string]> => {
    const text = fillText(source, scope);
    return text === undefined ? [] : [[name.toLowerCase(), checkHeaderValue(name, text)]];
  });
  return Object.fromEntries(filled);
}

/** Throws for characters other than visible ones, blanks and Latin-1, which could end the header and begin another. */
export function checkHeaderValue(name: string, text: string): string {
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return text;
  throw new HomeportError(
    'invalid_headers',
    `The value of the header ${name} holds characters that are not allowed in a header. Check what was entered.`,
  );
}

export type Param = string | Param[] | { [name: string]: Param };
export type Params = Record<string, Param>;

function fillParam(value: ParamTemplate, scope: ParamScope): Param | undefined {
  if (typeof value === 'string') return fillText(value, scope);
  if (Array.isArray(value)) {
    const items = value.map((item) => fillParam(item, scope)).filter((item) => item !== undefined);
    return items.length > 0 || value.length === 0 ? items : undefined;
  }
  const members = fillParams(value, scope);
  return Object.keys(members).length > 0 || Object.keys(value).length === 0 ? members : undefined;
}
