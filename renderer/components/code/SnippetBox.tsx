import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { readStored, writeStored } from '../../lib/stored.ts';
import { CopyButton } from '../CopyButton.tsx';

export interface LanguageSnippet {
  language: string;
  code: string;
}

const STORED = 'snippetLanguage';

/** Code to copy, in the language that was chosen last. */
export function SnippetBox({ snippets }: { snippets: readonly LanguageSnippet[] }) {
  const [stored, setStored] = useState(() => readStored(STORED, ''));
  const shown = snippets.find(({ language }) => language === stored) ?? snippets[0];
  if (!shown) return null;
  const choose = (language: string): void => {
    setStored(language);
    writeStored(STORED, language);
  };
  return (
    <div className="frame">
      <div className="row between line-below" style={{ padding: '6px 8px' }}>
        <SegmentedControl
          aria-label="Language"
          size="xs"
          data={snippets.map(({ language }) => language)}
          value={shown.language}
          onChange={choose}
        />
        <CopyButton value={shown.code} label={`Copy ${shown.language} code`} />
      </div>
      <pre
        className="scroll sunken"
        style={{ padding: '12px 16px', borderRadius: '0 0 6px 6px' }}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
        tabIndex={0}
        aria-label={`${shown.language} code`}
        role="region"
      >
        {shown.code}
      </pre>
    </div>
  );
}
