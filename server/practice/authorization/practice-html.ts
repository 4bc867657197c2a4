import escapeHtml from 'lodash-es/escape.js';

type Value = string | number | Html | readonly Html[];

/** A piece of HTML that is inserted without escaping. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Builds a piece of HTML. Inserted texts are escaped; pieces made by this tag are not. */
export function html(pieces: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(String.raw({ raw: pieces }, ...values.map(textOf)));
}

function textOf(value: Value): string {
  if (value instanceof Html) return value.text;
  return Array.isArray(value) ? value.map(textOf).join('') : escapeHtml(String(value));
}
