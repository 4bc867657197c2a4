/**
 * Stands for a part of the page whose program is still on its way. It is there in a moment, so that nothing is shown; the
 * page says that it is busy, to tests too, which would otherwise look at it before it is whole.
 */
export function PartLoading() {
  return <div hidden aria-busy="true" />;
}
