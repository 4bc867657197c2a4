import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { isJson } from '../../lib/json-digits.ts';
import { CopyButton } from '../CopyButton.tsx';
import classes from './BodyView.module.css';
import { JsonViewer } from './JsonViewer.tsx';

interface BodyViewProps {
  text: string;
  /** "body" in "Copy body". */
  label: string;
  maxHeight?: number;
}

const LARGE_CHARACTERS = 200_000;

/** JSON as a tree or as its original text; any other content unchanged. */
export function BodyView({ text, label, maxHeight = 320 }: BodyViewProps) {
  const [view, setView] = useState('tree');
  if (text === '') return <p className="faint">Empty</p>;
  // Parsing a larger text here would block the page.
  if (text.length > LARGE_CHARACTERS) return <JsonViewer json={text} label={label} height={maxHeight} />;
  if (!isJson(text)) return <Raw text={text} label={label} maxHeight={maxHeight} />;
  return (
    <>
      <SegmentedControl
        style={{ alignSelf: 'flex-start', marginBottom: 6 }}
        size="xs"
        aria-label={`View of the ${label}`}
        data={[
          { value: 'tree', label: 'Tree' },
          { value: 'raw', label: 'Raw' },
        ]}
        value={view}
        onChange={setView}
      />
      {view === 'tree' ? (
        <JsonViewer json={text} label={label} height={maxHeight} isPlain />
      ) : (
        <Raw text={text} label={label} maxHeight={maxHeight} />
      )}
    </>
  );
}

function Raw({ text, label, maxHeight }: Required<BodyViewProps>) {
  return (
    <div className={classes['raw']} style={{ position: 'relative' }}>
      <span style={{ position: 'absolute', top: 4, right: 4 }}>
        <CopyButton value={text} label={`Copy ${label}`} />
      </span>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <section style={{ maxHeight }} aria-label={label} tabIndex={0}>
        <pre>{text}</pre>
      </section>
    </div>
  );
}
