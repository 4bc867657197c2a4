import { CopyButton } from '../../components/CopyButton.tsx';
import { JsonTree } from '../../components/JsonTree.tsx';
import classes from './WebhookPanel.module.css';

interface BodyViewProps {
  text: string;
  /** "body" in "Copy body". */
  label: string;
  maxHeight?: number;
}

/** JSON as a tree, everything else as it is. */
export function BodyView({ text, label, maxHeight = 320 }: BodyViewProps) {
  if (text === '') return <p className="faint">Empty</p>;
  const value = parse(text);
  if (value !== undefined) return <JsonTree value={value} label={label} maxHeight={maxHeight} />;
  return (
    <div className={classes['raw']}>
      <span className={classes['copy']}>
        <CopyButton value={text} label={`Copy ${label}`} />
      </span>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <section style={{ maxHeight }} aria-label={label} tabIndex={0}>
        <pre>{text}</pre>
      </section>
    </div>
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No JSON: shown as text.
    return undefined;
  }
}
