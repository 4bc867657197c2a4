import { type RefObject, useEffect, useLayoutEffect, useReducer, useRef } from 'react';
import { flushSync } from 'react-dom';

/** Places above and below the visible ones that are rendered too, so that a fast scroll shows no gap. */
const OVERSCAN = 10;
/** A scroll ends when no event follows for this long. */
const SCROLL_END_MS = 150;

interface PlacesOptions {
  scroller: RefObject<HTMLElement | null>;
  /** Number of places; each is `height` px high. */
  count: number;
  height: number;
  /** Height of the sticky head above the first place, in px. */
  headHeight: number;
  /** Called before a new position is shown; resolves another position into `offset`. */
  onScroll: (offset: number, viewHeight: number, isScrolling: boolean) => number;
}

/** First and last visible place. */
interface PlaceRange {
  first: number;
  last: number;
}

/** Which places of equal height are visible in a scrolling element. */
export interface VisiblePlaces {
  /** Undefined until the element has a height. */
  range: PlaceRange | undefined;
  /** The places to render: the visible ones and some around them. */
  places: number[];
  offset: number;
  scrollToPlace: (place: number, align: 'auto' | 'start' | 'end') => void;
}

export function useVisiblePlaces(options: PlacesOptions): VisiblePlaces {
  const [, render] = useReducer((count: number) => count + 1, 0);
  const latest = useRef(options);
  latest.current = options;
  const view = useRef({ offset: 0, height: 0, isScrolling: false });
  const range = rangeOf(options, view.current);
  const shown = useRef(range);
  shown.current = range;
  const { scroller } = options;

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    let timer: number | undefined;
    const show = (isScrolling: boolean): void => {
      const wasScrolling = view.current.isScrolling;
      const offset = latest.current.onScroll(element.scrollTop, view.current.height, isScrolling);
      view.current = { ...view.current, offset, isScrolling };
      const next = rangeOf(latest.current, view.current);
      const isSame = next?.first === shown.current?.first && next?.last === shown.current?.last;
      if (isSame && wasScrolling === isScrolling) return;
      // The rows of the new position are there before the browser paints it.
      if (isScrolling) flushSync(render);
      else render();
    };
    const onScroll = (): void => {
      clearTimeout(timer);
      timer = window.setTimeout(() => show(false), SCROLL_END_MS);
      show(true);
    };
    const measure = (): void => {
      if (element.offsetHeight === view.current.height) return;
      view.current = { ...view.current, height: element.offsetHeight };
      render();
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, [scroller]);

  /** A place that the element cannot reach before the next render has made it higher. */
  const wanted = useRef<number>(undefined);
  const scrollTo = (offset: number): void => {
    const element = scroller.current;
    if (!element) return;
    element.scrollTop = offset;
    wanted.current = element.scrollTop + 1 < offset ? offset : undefined;
  };
  useEffect(() => {
    const offset = wanted.current;
    wanted.current = undefined;
    if (offset !== undefined && scroller.current) scroller.current.scrollTop = offset;
  });

  return {
    range,
    places: range ? placesAround(range, options.count) : [],
    offset: view.current.offset,
    scrollToPlace: (place, align) => {
      const { height, headHeight } = latest.current;
      const { clientHeight = 0, scrollTop = 0 } = scroller.current ?? {};
      const start = place * height;
      const end = start + height + headHeight - clientHeight;
      if (align === 'start' || (align === 'auto' && start < scrollTop)) scrollTo(start);
      else if (align === 'end' || end > scrollTop) scrollTo(Math.max(end, 0));
    },
  };
}

function rangeOf(
  { count, height: placeHeight, headHeight }: PlacesOptions,
  { offset, height }: { offset: number; height: number },
): PlaceRange | undefined {
  if (count === 0 || height === 0) return undefined;
  const place = (pixels: number): number => Math.min(Math.max(Math.floor(pixels / placeHeight), 0), count - 1);
  return { first: place(offset - headHeight), last: place(offset + height - headHeight - 1) };
}

function placesAround({ first, last }: PlaceRange, count: number): number[] {
  const start = Math.max(first - OVERSCAN, 0);
  const end = Math.min(last + OVERSCAN, count - 1);
  return Array.from({ length: end - start + 1 }, (_, index) => start + index);
}
