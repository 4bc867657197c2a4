import type * as z from 'zod';
import type { Row } from './models.js';

type PlainValue = z.infer<typeof Row>['properties'][string];
type RichText = Array<{ plain_text: string }>;
interface Named {
  name: string;
}
interface Identified {
  id: string;
}

/** https://developers.notion.com/reference/page-property-values: the value is in the member named like its type. */
export interface NotionProperty {
  type: string;
  title?: RichText;
  rich_text?: RichText;
  number?: number | null;
  checkbox?: boolean;
  select?: Named | null;
  status?: Named | null;
  multi_select?: Named[];
  date?: { start: string; end: string | null } | null;
  people?: Identified[];
  relation?: Identified[];
  files?: Named[];
  url?: string | null;
  email?: string | null;
  phone_number?: string | null;
  created_time?: string;
  last_edited_time?: string;
  created_by?: Identified;
  last_edited_by?: Identified;
  unique_id?: { prefix: string | null; number: number | null };
  formula?: NotionFormula;
}

/** https://developers.notion.com/reference/page-property-values#formula */
interface NotionFormula {
  type: string;
  string?: string | null;
  number?: number | null;
  boolean?: boolean | null;
  date?: NotionProperty['date'];
}

/** The value as in a table cell; null when there is none, and for roll-ups and buttons. */
export function plainValue(property: NotionProperty): PlainValue {
  switch (property.type) {
    case 'title':
      return plainText(property.title);
    case 'rich_text':
      return plainText(property.rich_text);
    case 'select':
      return property.select?.name ?? null;
    case 'status':
      return property.status?.name ?? null;
    case 'multi_select':
      return (property.multi_select ?? []).map(({ name }) => name);
    case 'files':
      return (property.files ?? []).map(({ name }) => name);
    case 'people':
      return (property.people ?? []).map(({ id }) => id);
    case 'relation':
      return (property.relation ?? []).map(({ id }) => id);
    case 'date':
      return plainDate(property.date);
    case 'unique_id':
      return plainId(property.unique_id);
    case 'formula':
      return plainFormula(property.formula);
    case 'created_by':
      return property.created_by?.id ?? null;
    case 'last_edited_by':
      return property.last_edited_by?.id ?? null;
    case 'number':
    case 'checkbox':
    case 'url':
    case 'email':
    case 'phone_number':
    case 'created_time':
    case 'last_edited_time':
      return property[property.type] ?? null;
    default:
      return null;
  }
}

export function plainText(parts: RichText = []): string {
  return parts.map(({ plain_text }) => plain_text).join('');
}

/** A period is written in ISO 8601: `start/end`. */
function plainDate(date: NotionProperty['date']): string | null {
  if (!date) return null;
  return date.end ? `${date.start}/${date.end}` : date.start;
}

function plainId(id: NotionProperty['unique_id']): string | null {
  if (!id || id.number === null) return null;
  return id.prefix ? `${id.prefix}-${id.number}` : String(id.number);
}

function plainFormula(formula: NotionFormula | undefined): PlainValue {
  return formula?.string ?? formula?.number ?? formula?.boolean ?? plainDate(formula?.date);
}
