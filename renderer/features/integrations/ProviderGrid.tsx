import { ActionIcon, UnstyledButton } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { IconPlus, IconStar, IconStarFilled } from '@tabler/icons-react';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, memo, type ReactNode, useEffect, useRef, useState } from 'react';
import type { ProviderRow } from '../../api/contract.ts';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import { Tag } from '../../components/tag/Tag.tsx';
import { authModeName } from '../../lib/auth-modes.ts';
import { formatCount } from '../../lib/format-number.ts';
import { categoryLabel } from './catalogue-choices.ts';
import classes from './ProviderGrid.module.css';

interface ProviderGridProps {
  providers: ProviderRow[];
  view: 'grid' | 'list';
  favourites: ReadonlySet<string>;
  /** The pointer or the keyboard focus is on it. */
  onActive: (name: string) => void;
  onFavourite: (name: string) => void;
  onOpen: (name: string) => void;
  onDefine: () => void;
  /** Shown before the last card when no provider matches. */
  empty: ReactNode;
}

const MIN_CARD_WIDTH = 216;
const ROW_HEIGHT = { grid: 68, list: 44 };

/** Cards or lines, and at the end a card for a missing provider. Arrow keys move, Enter opens, f marks a favourite. */
export function ProviderGrid(props: ProviderGridProps) {
  const { providers, view, favourites, onActive, onFavourite, onOpen, onDefine, empty } = props;
  const scroll = useRef<HTMLDivElement>(null);
  const { ref: sized, width } = useElementSize<HTMLDivElement>();
  const columns = view === 'list' ? 1 : Math.max(Math.floor(width / MIN_CARD_WIDTH), 1);
  const count = providers.length + 1;
  const [at, setAt] = useState(0);
  const current = Math.min(at, count - 1);
  const rows = useVirtualizer({
    count: Math.ceil(count / columns),
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_HEIGHT[view],
    overscan: 4,
    // The focused row stays mounted.
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), Math.floor(current / columns)])].sort((a, b) => a - b),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list starts at the top.
  useEffect(() => {
    setAt(0);
    scroll.current?.scrollTo({ top: 0 });
  }, [providers]);
  const move = (to: number): void => {
    const next = Math.min(Math.max(to, 0), count - 1);
    setAt(next);
    rows.scrollToIndex(Math.floor(next / columns));
    requestAnimationFrame(() => scroll.current?.querySelector<HTMLElement>(`[data-at="${next}"]`)?.focus());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: columns,
      ArrowUp: -columns,
      Home: -count,
      End: count,
      PageDown: columns * 4,
      PageUp: -columns * 4,
    };
    const step = steps[event.key];
    const provider = providers[current];
    if (step !== undefined) move(current + step);
    else if (event.key === 'f' && provider && !event.metaKey && !event.ctrlKey) onFavourite(provider.name);
    else return;
    event.preventDefault();
  };
  return (
    <div className="grow scroll" style={{ padding: '12px 12px 24px' }} ref={scroll}>
      {providers.length === 0 && empty}
      <div
        ref={sized}
        className={classes['grid']}
        role="grid"
        aria-label="Providers"
        aria-rowcount={Math.ceil(count / columns)}
        data-view={view}
        style={{ height: rows.getTotalSize() }}
        onKeyDown={onKeyDown}
      >
        {rows.getVirtualItems().map((row) => (
          // biome-ignore lint/a11y/useFocusableInteractive: its cells take the focus
          <div
            key={row.key}
            role="row"
            aria-rowindex={row.index + 1}
            className={`grid gap-8 ${classes['row']}`}
            style={{ transform: `translateY(${row.start}px)`, gridTemplateColumns: `repeat(${columns}, 1fr)` }}
          >
            {Array.from({ length: columns }, (_, column) => row.index * columns + column)
              .filter((index) => index < count)
              .map((index) => {
                const provider = providers[index];
                const isCurrent = index === current;
                return provider ? (
                  <Card
                    key={provider.name}
                    provider={provider}
                    at={index}
                    isCurrent={isCurrent}
                    isFavourite={favourites.has(provider.name)}
                    onActive={() => onActive(provider.name)}
                    onFocus={() => {
                      setAt(index);
                      onActive(provider.name);
                    }}
                    onFavourite={() => onFavourite(provider.name)}
                    onOpen={() => onOpen(provider.name)}
                  />
                ) : (
                  // biome-ignore lint/a11y/useFocusableInteractive: its button takes the focus
                  <span
                    role="gridcell"
                    className={classes['cell']}
                    style={{ position: 'relative', minWidth: 0 }}
                    key="define"
                  >
                    <UnstyledButton
                      className={`card grid gap-12 full middle ${classes['card']}`}
                      data-define
                      data-at={index}
                      tabIndex={isCurrent ? 0 : -1}
                      onFocus={() => setAt(index)}
                      onClick={onDefine}
                    >
                      <span className={`centred ${classes['plus']}`}>
                        <IconPlus size={18} stroke={1.6} aria-hidden />
                      </span>
                      <span className={`stack ${classes['words']}`}>
                        <span className="name cut">Define your own</span>
                        <small className="cut soft note">By form or YAML</small>
                      </span>
                    </UnstyledButton>
                  </span>
                );
              })}
          </div>
        ))}
      </div>
    </div>
  );
}

interface CardProps {
  provider: ProviderRow;
  at: number;
  isCurrent: boolean;
  isFavourite: boolean;
  onActive: () => void;
  onFocus: () => void;
  onFavourite: () => void;
  onOpen: () => void;
}

const Card = memo(
  function Card({ provider, at, isCurrent, isFavourite, ...on }: CardProps) {
    const { name, displayName, source } = provider;
    const Star = isFavourite ? IconStarFilled : IconStar;
    return (
      // biome-ignore lint/a11y/useFocusableInteractive: its button takes the focus
      <span role="gridcell" className={classes['cell']} style={{ position: 'relative', minWidth: 0 }}>
        <UnstyledButton
          className={`card grid gap-12 full middle ${classes['card']}`}
          data-at={at}
          tabIndex={isCurrent ? 0 : -1}
          onFocus={on.onFocus}
          onPointerEnter={on.onActive}
          onClick={on.onOpen}
        >
          <ProviderLogo provider={name} name={displayName} size={32} tile />
          <span className={`stack ${classes['words']}`}>
            <span className="name cut">{displayName}</span>
            <small className="cut soft note">{aboutOf(provider)}</small>
          </span>
          <span className={classes['tags']} style={{ paddingRight: 20 }}>
            {source !== 'built-in' && <Tag>{source === 'workspace' ? 'yours' : 'changed'}</Tag>}
          </span>
        </UnstyledButton>
        <ActionIcon
          className={classes['star'] ?? ''}
          data-on={isFavourite || undefined}
          size={24}
          tabIndex={-1}
          aria-label={isFavourite ? `${displayName} is a favourite: remove it` : `Make ${displayName} a favourite`}
          onClick={on.onFavourite}
        >
          <Star size={14} stroke={1.6} />
        </ActionIcon>
      </span>
    );
  },
  (before, after) =>
    before.provider === after.provider &&
    before.at === after.at &&
    before.isCurrent === after.isCurrent &&
    before.isFavourite === after.isFavourite,
);

/** "OAuth 2, CRM, 4 templates". */
function aboutOf({ authMode, categories, templateCount }: ProviderRow): string {
  const category = categories.find((one) => one !== 'popular');
  return [
    authModeName(authMode),
    ...(category === undefined ? [] : [categoryLabel(category)]),
    ...(templateCount > 0 ? [formatCount(templateCount, 'template')] : []),
  ].join(', ');
}
