import { Button, Menu } from '@mantine/core';
import { IconBell, IconBellOff, IconBookmark, IconStar, IconTrash } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { Link, useParams } from 'react-router';
import { readStored, writeStored } from '../../lib/stored.ts';
import { focusIfLost } from '../focus-if-lost.ts';
import { SaveUnderName } from '../form/SaveUnderName.tsx';
import { notifyUndoable } from '../notice/notify-undoable.ts';
import type { ListState } from './use-list.ts';

/** Notifications about operations that match a view, where the list supports them. */
export interface ViewNotices {
  isOn: (view: SavedView) => boolean;
  /** Whether this view can be used for notifications. */
  canBe: (view: SavedView) => boolean;
  set: (view: SavedView, isOn: boolean) => void;
}

export interface SavedView {
  name: string;
  /** Parameters of the address, `sort` among them. */
  params: Record<string, string>;
}

/** The parts of the address that a view stores. */
function paramsOf({ names, filters, url }: ListState): Record<string, string> {
  const sort = url.get('sort');
  const used = names.flatMap((name): [string, string][] => (filters[name] ? [[name, filters[name]]] : []));
  return Object.fromEntries(sort === undefined ? used : [...used, ['sort', sort]]);
}

/** Loaded when it is used: the list itself does not need it. */
async function pinView(env: string, view: { kind: 'view'; list: string; name: string }): Promise<void> {
  const { toggleSidebarPin } = await import('../use-favourites.ts');
  toggleSidebarPin(env, view);
}

interface SavedViewsProps {
  list: ListState;
  listId: string;
  notices?: ViewNotices | undefined;
}

/** Filters and sort order saved under a name, in this browser; available in every environment. */
export function SavedViews({ list, listId, notices }: SavedViewsProps) {
  const stored = `views.${listId}`;
  const { env = '' } = useParams();
  const [views, setViews] = useState(() => readStored<SavedView[]>(stored, []));
  const params = paramsOf(list);
  const now = JSON.stringify(params);
  const current = views.find((view) => JSON.stringify(view.params) === now);
  const hasChanged = useRef(false);
  const keep = (next: SavedView[]): void => {
    hasChanged.current = true;
    setViews(next);
    writeStored(stored, next);
  };
  const save = (name: string): void => keep([...views.filter((view) => view.name !== name), { name, params }]);
  const remove = (view: SavedView): void => {
    keep(views.filter((one) => one !== view));
    const hadNotices = notices?.isOn(view) === true;
    if (hadNotices) notices.set(view, false);
    const undo = async (): Promise<string> => {
      // Read again: the list of views may have changed, and this part of the page may be gone.
      const others = readStored<SavedView[]>(stored, []).filter(({ name }) => name !== view.name);
      keep(others.toSpliced(views.indexOf(view), 0, view));
      if (hadNotices) notices.set(view, true);
      return `The view ${view.name} is back`;
    };
    notifyUndoable(`View ${view.name} deleted`, { undo });
  };
  const isNew = Object.keys(params).length > 0 && !current;
  const box = useRef<HTMLSpanElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a saved or deleted view takes away the button that had the focus.
  useEffect(() => {
    if (hasChanged.current) focusIfLost(box.current?.querySelector('button'));
    hasChanged.current = false;
  }, [views]);
  const hrefOf = (view: SavedView): string => `?${new URLSearchParams(view.params)}`;
  return (
    <span ref={box} style={{ display: 'contents' }}>
      {isNew && <SaveUnderName label="Save view" nameLabel="Name of the view" onSave={save} />}
      {views.length > 0 && (
        <Menu position="bottom-end" width={240}>
          <Menu.Target>
            <Button variant="default" size="xs" leftSection={<IconBookmark size={14} stroke={1.6} />}>
              {current?.name ?? 'Views'}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {views.map((view) => (
              <Menu.Item
                key={view.name}
                component={Link}
                to={hrefOf(view)}
                aria-current={view === current || undefined}
                fw={view === current ? 600 : 400}
              >
                {view.name}
              </Menu.Item>
            ))}
            {current && (
              <>
                <Menu.Divider />
                {notices?.canBe(current) && (
                  <Menu.Item
                    leftSection={
                      notices.isOn(current) ? (
                        <IconBellOff size={14} stroke={1.6} aria-hidden />
                      ) : (
                        <IconBell size={14} stroke={1.6} aria-hidden />
                      )
                    }
                    onClick={() => notices.set(current, !notices.isOn(current))}
                  >
                    {notices.isOn(current) ? 'Do not notify me' : 'Notify me'}
                  </Menu.Item>
                )}
                <Menu.Item
                  leftSection={<IconStar size={14} stroke={1.6} aria-hidden />}
                  onClick={() => void pinView(env, { kind: 'view', list: listId, name: current.name })}
                >
                  Pin to the sidebar, or remove
                </Menu.Item>
                <Menu.Item
                  color="var(--hp-bad)"
                  leftSection={<IconTrash size={14} stroke={1.6} />}
                  onClick={() => remove(current)}
                >
                  Delete view {current.name}
                </Menu.Item>
              </>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
    </span>
  );
}
