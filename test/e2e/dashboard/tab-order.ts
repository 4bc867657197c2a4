import type { Page } from 'playwright-core';

export interface TabOrder {
  /** Role and name of each stop, from the top of the page. */
  stops: string[];
  /** Controls that Tab never reaches; it reaches one of a group of radio buttons. */
  unreached: string[];
}

/** State that the page stores during one round. */
interface Way {
  stops: Set<HTMLElement>;
  unreached: Set<HTMLElement>;
  /** Whether the focus came back to the first stop. */
  isRound: boolean;
}

/** Goes once around the page with Tab. */
export async function tabAround(page: Page): Promise<TabOrder> {
  const count = await page.evaluate(() => {
    const controls = [
      ...document.querySelectorAll<HTMLElement>('a[href], button, input, select, summary, textarea, [tabindex]'),
    ]
      .filter((one) => one.tabIndex >= 0 && !one.matches(':disabled, [type=radio], [inert] *, [aria-hidden=true] *'))
      .filter((one) => one.checkVisibility({ visibilityProperty: true }));
    const way: Way = { stops: new Set(), unreached: new Set(controls), isRound: false };
    document.addEventListener('focusin', ({ target }) => {
      const [first] = way.stops;
      way.isRound ||= way.stops.size > 1 && target === first;
      way.stops.add(target as HTMLElement);
      way.unreached.delete(target as HTMLElement);
    });
    (document.activeElement as HTMLElement | null)?.blur();
    Object.assign(window, { way });
    return controls.length;
  });
  // A date field has several stops, and the page itself is one.
  for (let round = 0; round < 3; round += 1) {
    for (let press = 0; press < count + 10; press += 1) {
      await page.keyboard.press('Tab');
      if (press >= count && (await isComplete(page))) break;
    }
    const order = await readWay(page);
    if (order.unreached.length === 0 || round === 2) return order;
  }
  throw new Error('The way around the page has no end.');
}

/** Whether nothing can come any more; a press of a key costs ten times as much as this question. */
const isComplete = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const { isRound, unreached } = (window as unknown as { way: Way }).way;
    return isRound && [...unreached].every((one) => !one.isConnected);
  });

function readWay(page: Page): Promise<TabOrder> {
  return page.evaluate(() => {
    const { way } = window as unknown as { way: Way };
    const textOf = (parts: Iterable<Element>): string => [...parts].map((one) => one.textContent).join(' ');
    const nameOf = (one: HTMLElement): string => {
      const by = one.getAttribute('aria-labelledby')?.split(' ') ?? [];
      const labels = by.flatMap((id) => document.getElementById(id) ?? []);
      const name =
        one.ariaLabel ??
        (labels.length > 0 ? textOf(labels) : textOf((one as HTMLInputElement).labels ?? [])) ??
        one.textContent;
      return (name || one.textContent || one.title).replaceAll(/\s+/g, ' ').trim().slice(0, 60);
    };
    const kindOf = (one: HTMLElement): string => one.role ?? (one.localName === 'a' ? 'link' : one.localName);
    const stops = [...way.stops].filter((one) => one.isConnected);
    // The round starts at the focus; the list starts with the first element of the page.
    const first = stops.findIndex((one) =>
      stops.every((other) => one === other || one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING),
    );
    return {
      stops: [...stops.slice(first), ...stops.slice(0, first)].map((one) => `${kindOf(one)} ${nameOf(one)}`.trim()),
      unreached: [...way.unreached].filter((one) => one.isConnected).map((one) => `${kindOf(one)} ${nameOf(one)}`),
    };
  });
}
