/** The style sheet of all pages, in the hub's colours and sizes. The pages have no scripts. */
export const PRACTICE_STYLE = `
:root {
  color-scheme: light dark;
  --bg: #f2f5f6; --surface: #fff; --sunken: #f7f9fa; --border: #e0e6e9; --border-strong: #c6d0d5; --control: #84919a;
  --text: #12191d; --text-2: #45525a; --text-3: #5f6d76; --accent: #0b6a80; --on-accent: #fff; --accent-hover: #085668;
  --accent-text: #0a6075; --selected: #e6f2f5; --hover: #f0f4f5; --focus: #0b7a93;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #0b0f12; --surface: #11171b; --sunken: #0d1215; --border: #212b31; --border-strong: #36434b; --control: #65747d;
    --text: #e7ecef; --text-2: #aeb9c0; --text-3: #8896a0; --accent: #4db4c9; --on-accent: #12191d; --accent-hover: #6cc7d9;
    --accent-text: #6cc7d9; --selected: #10272f; --hover: #172026; --focus: #5cc3d7;
  }
}
@media (prefers-contrast: more) {
  :root { --text-2: var(--text); --text-3: var(--text); --border: var(--control); --border-strong: var(--control); }
}
* { box-sizing: border-box; }
/** Keeps a focused element from being hidden behind the buttons. */
html:has(.buttons) { scroll-padding-bottom: 76px; }
body {
  margin: 0; padding: 24px 16px; background: var(--bg); color: var(--text); overflow-wrap: anywhere;
  font: 14px/20px Inter, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
}
main {
  max-width: 440px; margin: 0 auto; padding: 24px; background: var(--surface);
  border: 1px solid var(--border); border-radius: 8px;
}
main.wide { max-width: 720px; }
h1 { margin: 0 0 8px; font-size: 20px; line-height: 28px; font-weight: 600; letter-spacing: -0.014em; }
h2, legend { margin: 0; padding: 0; font-size: 13px; line-height: 20px; font-weight: 600; }
h2 { margin-top: 24px; }
p { margin: 8px 0 0; color: var(--text-2); }
p.from { margin: 0 0 16px; font-size: 12px; line-height: 16px; font-weight: 500; color: var(--text-3); }
a { color: var(--accent-text); }
code { font: 12px/20px 'JetBrains Mono', ui-monospace, 'Cascadia Mono', Menlo, Consolas, monospace; color: var(--text); }
ul { list-style: none; margin: 4px 0 0; padding: 0; }
li { padding: 8px 0; border-bottom: 1px solid var(--border); }
.scopes li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 12px; }
.scopes code { color: var(--text-3); }
ul + p { margin-top: 16px; }
fieldset { margin: 24px 0 0; padding: 0; border: 0; min-width: 0; }
label {
  display: flex; align-items: center; gap: 12px; margin-top: 4px; padding: 6px 12px; cursor: pointer;
  border: 1px solid var(--border); border-radius: 6px;
}
label:hover { background: var(--hover); }
label:has(:checked) { background: var(--selected); border-color: var(--accent); }
label small { display: block; font-size: 12px; line-height: 16px; color: var(--text-3); }
input[type='radio'] { flex: none; width: 16px; height: 16px; margin: 0; accent-color: var(--accent); }
/** In a small window the buttons stay at the lower edge while the rest scrolls. */
.buttons {
  position: sticky; bottom: 0; display: grid; grid-template-columns: 1fr 1fr; gap: 8px; margin-top: 12px; padding: 12px 0;
  background: var(--surface); border-top: 1px solid var(--border);
}
main:has(.buttons) { padding-bottom: 12px; }
button {
  min-height: 44px; padding: 0 16px; font: inherit; font-weight: 500; cursor: pointer; border-radius: 6px;
  border: 1px solid var(--border-strong); background: var(--surface); color: var(--text);
}
button:hover { background: var(--hover); }
button.primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
button.primary:hover { border-color: var(--accent-hover); background: var(--accent-hover); }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
label:has(:focus-visible) { outline: 2px solid var(--focus); outline-offset: 2px; }
label :focus-visible { outline: none; }
p.note { margin-top: 16px; font-size: 12px; line-height: 16px; color: var(--text-3); }
dl { margin: 4px 0 0; }
dl div { padding: 8px 0; border-bottom: 1px solid var(--border); }
dt { font-size: 12px; line-height: 16px; font-weight: 500; color: var(--text-3); }
dd { margin: 0; }
@media (max-height: 640px) { body { padding-block: 0; } main { padding-block: 16px 4px; } h2, fieldset { margin-top: 16px; } }
@media (forced-colors: active) { button.primary { border-width: 2px; } }
@media (max-width: 400px) { body { padding: 0; background: var(--surface); } main { border: 0; border-radius: 0; padding: 16px 16px 4px; } }
`;
