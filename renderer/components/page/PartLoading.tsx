/**
 * Placeholder for a part of the page whose code is loading. It shows nothing, because loading takes a moment; it marks
 * the page as busy, which tests wait for.
 */
export function PartLoading() {
  return <div hidden aria-busy="true" />;
}
