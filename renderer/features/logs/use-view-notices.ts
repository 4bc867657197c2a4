import { useQuery } from '@tanstack/react-query';
import type { LogFilter } from '../../api/contract.ts';
import { useChangeRules } from '../../api/notifications/notifications-mutations.ts';
import { notificationRulesQueryOptions } from '../../api/notifications/notifications-queries.ts';
import type { SavedView, ViewNotices } from '../../components/list/SavedViews.tsx';
import { notifyDone } from '../../components/notice/notify.ts';

const FILTERS: ReadonlyArray<keyof LogFilter> = ['states', 'types', 'integrations', 'connections', 'syncs', 'search'];

/** The parts of a view that decide which operations it shows; period and order do not. */
function filterOf({ params }: SavedView): LogFilter {
  return Object.fromEntries(FILTERS.flatMap((name) => (params[name] ? [[name, params[name]]] : [])));
}

/** Rules that notify about operations which match a saved view; undefined until they are loaded. */
export function useViewNotices(env: string): ViewNotices | undefined {
  const { data: rules } = useQuery(notificationRulesQueryOptions(env));
  const change = useChangeRules();
  if (!rules) return undefined;
  return {
    canBe: (view) => Object.keys(filterOf(view)).length > 0,
    // A view with the same name but other filters is another view.
    isOn: (view) =>
      rules.views.some(
        ({ name, filter }) =>
          name === view.name && FILTERS.every((part) => (filter[part] ?? '') === (filterOf(view)[part] ?? '')),
      ),
    set: (view, isOn) => {
      const others = rules.views.filter(({ name }) => name !== view.name);
      const views = isOn ? [...others, { name: view.name, filter: filterOf(view) }] : others;
      change.mutate(
        { ...rules, views },
        {
          onSuccess: () => notifyDone(isOn ? `You are notified of ${view.name}` : `No notifications of ${view.name}`),
        },
      );
    },
  };
}
