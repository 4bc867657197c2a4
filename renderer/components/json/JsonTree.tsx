import { UnstyledButton } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { type JsonLine, jsonLines, quote } from '../../lib/json-tree.ts';
import { toTypeScript } from '../../lib/json-type.ts';
import { CopyButton } from '../CopyButton.tsx';
import classes from './JsonTree.module.css';

const LINE_HEIGHT = 20;

interface JsonTreeProps {
  value: unknown;
  label: string;
  maxHeight?: number;
  /** Long texts wrap and are never cut, for content that a person has to judge. */
  isWhole?: boolean;
}

/** JSON with folding; only the visible lines are in the page. */
export function JsonTree({ value, label, maxHeight = 480, isWhole = false }: JsonTreeProps) {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const limit = isWhole ? Number.POSITIVE_INFINITY : undefined;
  const lines = useMemo(() => jsonLines(value, folded, limit), [value, folded, limit]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 10,
  });
  const toggle = (path: string): void => {
    const next = new Set(folded);
    if (!next.delete(path)) next.add(path);
    setFolded(next);
  };
  return (
    <div className={`frame ${classes['box']}`}>
      <div className={classes['copy']}>
        <CopyButton
          sign="typescript"
          value={() => toTypeScript(value, label)}
          label={`Copy ${label} as a TypeScript type`}
        />
        <CopyButton value={() => JSON.stringify(value, null, 2)} label={`Copy ${label}`} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <section ref={scroller} className={classes['scroller']} style={{ maxHeight }} aria-label={label} tabIndex={0}>
        <div className={classes['lines']} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const line = lines[item.index];
            if (!line) return null;
            return (
              <Line
                key={line.path}
                line={line}
                index={item.index}
                top={item.start}
                onToggle={toggle}
                // The height of a wrapped line depends on its text.
                measure={isWhole ? virtual.measureElement : undefined}
              />
            );
          })}
        </div>
      </section>
    </div>
  );
}

interface LineProps {
  line: JsonLine;
  index: number;
  top: number;
  onToggle: (path: string) => void;
  measure: ((element: HTMLElement | null) => void) | undefined;
}

function Line({ line, index, top, onToggle, measure }: LineProps) {
  const comma = line.isLast || line.kind === 'open' ? '' : ',';
  const canFold = line.kind === 'open' || line.kind === 'folded';
  return (
    <div
      ref={measure}
      className={`mono ${classes['line']}`}
      data-index={index}
      data-wraps={measure && true}
      style={{ transform: `translateY(${top}px)`, paddingLeft: 12 + line.depth * 16 }}
    >
      {line.name !== undefined && <span className={classes['name']}>{`${quote(line.name)}: `}</span>}
      {canFold ? (
        <UnstyledButton
          className={classes['fold'] ?? ''}
          aria-expanded={line.kind === 'open'}
          aria-label={`${line.kind === 'open' ? 'Fold' : 'Unfold'} ${line.name ?? 'value'}`}
          onClick={() => onToggle(line.path)}
        >
          {line.text}
        </UnstyledButton>
      ) : (
        <span data-type={line.type}>{line.text}</span>
      )}
      {comma}
    </div>
  );
}
