import { ActionIcon } from '@mantine/core';
import {
  IconArrowsDiagonal,
  IconArrowsDiagonalMinimize2,
  IconChevronDown,
  IconChevronUp,
  IconX,
} from '@tabler/icons-react';
import { type CSSProperties, type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { KEY_MAP } from '../../lib/key-map.ts';
import { writeStored } from '../../lib/stored.ts';
import { HoverTip } from '../HoverTip.tsx';
import { useCommands } from '../use-commands.ts';
import type { PanelPage } from './panel-page.ts';
import { type PanelWidth, storedWidth } from './panel-width.ts';
import classes from './SidePanel.module.css';

const MIN_WIDTH = 360;
const STEP = 32;

interface SidePanelProps {
  width: PanelWidth;
  label: string;
  title: ReactNode;
  onClose: () => void;
  /** To the next (1) or previous (-1) row. */
  onStep?: (step: 1 | -1) => void;
  /** The panel can be shown as a page of its own. */
  page?: PanelPage;
  footer?: ReactNode;
  children: ReactNode;
}

function useWidth(of: PanelWidth) {
  const [width, setWidth] = useState(() => storedWidth(of));
  const start = useRef<{ x: number; width: number } | undefined>(undefined);
  const set = (next: number): void => {
    const fitting = Math.round(Math.min(Math.max(next, MIN_WIDTH), window.innerWidth - 320));
    setWidth(fitting);
    writeStored(`panel.${of.id}`, fitting);
  };
  const handle = {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      start.current = { x: event.clientX, width };
    },
    onPointerMove: (event: PointerEvent) => {
      if (start.current) set(start.current.width + start.current.x - event.clientX);
    },
    onPointerUp: () => {
      start.current = undefined;
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'ArrowLeft') set(width + STEP);
      if (event.key === 'ArrowRight') set(width - STEP);
    },
  };
  return { width, handle };
}

/**
 * The sheet on the right that shows one row while its table stays visible. Esc closes it; j and k open the next or
 * previous row; Shift+Enter shows it as a page, and Esc returns to the panel.
 */
export function SidePanel(props: SidePanelProps) {
  const { label, title, onClose, onStep, page, footer, children } = props;
  const { width, handle } = useWidth(props.width);
  const navigate = useNavigate();
  const isPage = page?.isOpen ?? false;
  const Title = isPage ? 'h1' : 'div';
  useCommands([
    { ...KEY_MAP.close, run: () => (isPage && page ? void navigate(page.back) : onClose()) },
    ...(page && !isPage ? [{ ...KEY_MAP.openPage, run: () => void navigate(page.to) }] : []),
  ]);
  return (
    <aside
      className={`stack rigid ${classes['panel']}`}
      data-page={isPage || undefined}
      style={{ '--panel-width': `${width}px` } as CSSProperties}
      aria-label={label}
    >
      {!isPage && (
        <div
          className={classes['handle']}
          role="separator"
          aria-label="Panel width"
          aria-orientation="vertical"
          aria-valuenow={width}
          aria-valuemin={MIN_WIDTH}
          tabIndex={0}
          {...handle}
        />
      )}
      <header
        className="row gap-4 rigid line-below"
        style={{ minHeight: 52, padding: '8px 12px 8px var(--hp-gutter)' }}
      >
        <Title className={`row grow strong ${classes['title']}`}>{title}</Title>
        {onStep && (
          <>
            <StepButton label="Previous row" hint="k" onClick={() => onStep(-1)} icon={IconChevronUp} />
            <StepButton label="Next row" hint="j" onClick={() => onStep(1)} icon={IconChevronDown} />
          </>
        )}
        {page && <PageLink page={page} />}
        <StepButton label="Close" hint="Esc" onClick={onClose} icon={IconX} />
      </header>
      <div className="stack scroll" style={{ flex: 1, minHeight: 0 }}>
        {children}
      </div>
      {footer && (
        <footer className="row wrap rigid line-above" style={{ padding: '10px var(--hp-gutter)' }} data-docked>
          {footer}
        </footer>
      )}
    </aside>
  );
}

function PageLink({ page: { isOpen, to, back } }: { page: PanelPage }) {
  const label = isOpen ? 'Back beside the list' : 'Open as a page';
  const Icon = isOpen ? IconArrowsDiagonalMinimize2 : IconArrowsDiagonal;
  return (
    <HoverTip label={`${label} (${isOpen ? 'Esc' : '⇧ Enter'})`}>
      <ActionIcon className={classes['pageLink'] ?? ''} component={Link} to={isOpen ? back : to} aria-label={label}>
        <Icon size={16} stroke={1.6} aria-hidden />
      </ActionIcon>
    </HoverTip>
  );
}

function StepButton(props: { label: string; hint: string; onClick: () => void; icon: typeof IconX }) {
  return (
    <HoverTip label={`${props.label} (${props.hint})`}>
      <ActionIcon aria-label={props.label} onClick={props.onClick}>
        <props.icon size={16} stroke={1.6} aria-hidden />
      </ActionIcon>
    </HoverTip>
  );
}
