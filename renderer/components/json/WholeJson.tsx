import { isJson } from '../../lib/json-digits.ts';
import { jsonLines } from '../../lib/json-text.ts';
import { toTypeScript } from '../../lib/json-type.ts';
import { CopyButton } from '../CopyButton.tsx';
import classes from './WholeJson.module.css';

interface WholeJsonProps {
  value: unknown;
  label: string;
  maxHeight: number;
}

/** JSON that a person has to judge: long texts wrap, nothing is folded or cut, and every character is in the page. */
export function WholeJson({ value, label, maxHeight }: WholeJsonProps) {
  return (
    <div className="frame sunken" style={{ position: 'relative' }}>
      <div className="row gap-0" style={{ position: 'absolute', top: 4, right: 8 }}>
        <JsonCopies text={JSON.stringify(value, null, 2)} label={label} isCut={false} />
      </div>
      <section
        className={`mono scroll pre-wrap ${classes['lines']}`}
        style={{ maxHeight }}
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
        tabIndex={0}
      >
        {jsonLines(value).map(({ indent, name, text, type, comma }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a text have no other identity.
          <div key={index} className="breaks" style={{ paddingLeft: 12 + indent.length * 8 }}>
            {name !== '' && <span className={classes['name']}>{name}</span>}
            <span data-type={type}>{text}</span>
            {comma}
          </div>
        ))}
      </section>
    </div>
  );
}

/** Copies a JSON text, and its type unless the text is only the beginning of one. */
export function JsonCopies({ text, label, isCut }: { text: string; label: string; isCut: boolean }) {
  const type = (): string => toTypeScript(isJson(text) ? JSON.parse(text) : text, label);
  return (
    <>
      {!isCut && <CopyButton sign="typescript" value={type} label={`Copy ${label} as a TypeScript type`} />}
      <CopyButton value={text} label={`Copy ${label}`} />
    </>
  );
}
