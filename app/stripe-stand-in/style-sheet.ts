/** Defaults for what a look leaves open, as the provider has. */
const STYLES = `
:host { display: block; font-family: var(--font, system-ui, sans-serif); font-size: 0.875rem; line-height: 1.5; color: var(--text, #1d1d1b); }
* { box-sizing: border-box; }
.strip { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.5rem 1rem; padding: 0.625rem 0.75rem; margin-bottom: 1rem; border: 1px dashed var(--line, #c4c4be); border-radius: var(--radius, 6px); }
.strip strong { display: block; font-weight: 600; }
.strip span { color: var(--quiet, #62625c); }
.fields { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0.75rem; }
.field { min-width: 0; }
.field.number { grid-column: 1 / -1; }
label { display: block; margin-bottom: 0.25rem; font-weight: 500; }
input { width: 100%; height: 2.25rem; padding: 0 0.75rem; border: 1px solid var(--line, #c4c4be); border-radius: var(--radius, 6px); background: var(--ground, #fff); color: inherit; font: inherit; font-variant-numeric: tabular-nums; }
input::placeholder { color: var(--faint, #73736c); opacity: 1; }
input[aria-invalid='true'] { border-color: var(--danger, #b3261e); color: var(--danger, #b3261e); }
input:focus-visible, button:focus-visible { outline: 2px solid var(--accent, #215f9b); outline-offset: 1px; }
.problem { margin: 0.25rem 0 0; font-size: 0.75rem; color: var(--danger, #b3261e); }
.problem:empty { display: none; }
button { height: 1.875rem; padding: 0 0.75rem; border: 1px solid var(--line, #c4c4be); border-radius: var(--radius, 6px); background: var(--ground, #fff); color: inherit; font: inherit; font-weight: 550; cursor: pointer; }
button.main { border-color: transparent; background: var(--accent, #215f9b); color: var(--on-accent, #fff); }
dialog { width: min(26rem, calc(100vw - 2rem)); padding: 1.5rem; border: 1px solid var(--line, #c4c4be); border-radius: 12px; background: var(--ground, #fff); color: inherit; }
dialog::backdrop { background: rgb(0 0 0 / 55%); }
h2 { margin: 0 0 0.5rem; font-size: 1.0625rem; font-weight: 600; }
p { margin: 0; }
.quiet { color: var(--quiet, #62625c); }
.answers { display: flex; flex-wrap: wrap; justify-content: flex-end; gap: 0.5rem; margin-top: 1.5rem; }
`;

/** The part of the provider's appearance options that the stand-in supports. */
export type Look = Readonly<Record<string, unknown>>;

const VARIABLES: readonly [variable: string, property: string][] = [
  ['fontFamily', '--font'],
  ['colorText', '--text'],
  ['colorTextSecondary', '--quiet'],
  ['colorTextPlaceholder', '--faint'],
  ['colorBackground', '--ground'],
  ['colorDanger', '--danger'],
  ['colorPrimary', '--accent'],
  ['accessibleColorOnColorPrimary', '--on-accent'],
  ['borderColor', '--line'],
  ['borderRadius', '--radius'],
];

let sheet: CSSStyleSheet | undefined;

/**
 * Returns a root with its own styles, as the provider's frame has. A style sheet created here needs no nonce.
 */
export function openPlace(host: HTMLElement): ShadowRoot {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
  }
  const root = host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [sheet];
  return root;
}

/** Applies the page's colours to a root. */
export function applyLook(host: HTMLElement, look: Look): void {
  for (const [variable, property] of VARIABLES) {
    const value = look[variable];
    if (typeof value === 'string') host.style.setProperty(property, value);
  }
}
