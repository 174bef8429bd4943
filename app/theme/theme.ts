import {
  type ActionIconProps,
  type AlertProps,
  type AnchorProps,
  type BadgeProps,
  type ButtonProps,
  type CardProps,
  type CloseButtonProps,
  createTheme,
  type DrawerProps,
  type MantineColorsTuple,
  type MantineThemeOverride,
  type MenuProps,
  type ModalProps,
  mergeThemeOverrides,
  type PaperProps,
  type PasswordInputProps,
  type SelectProps,
  type SkeletonProps,
  type TableProps,
  type TextInputProps,
  type TooltipProps,
} from '@mantine/core';

/**
 * Types a component's settings without importing the component: `Modal.extend` would pull every component
 * named here into the first chunk of every page.
 */
function of<Props>(settings: {
  defaultProps?: Partial<Props>;
  styles?: (theme: unknown, props: Partial<Props>) => Record<string, Record<string, string>>;
}) {
  return settings;
}

/** Lake: the only accent. Shade 7 on white and shade 4 on the dark background both exceed 4.5:1. */
const lake: MantineColorsTuple = [
  '#eef5fb',
  '#dce8f4',
  '#b5cfe8',
  '#8bb5dc',
  '#689fd2',
  '#4787c3',
  '#2f73b3',
  '#215f9b',
  '#184e82',
  '#0d3a66',
];

/** Neutral greys with a little warmth, so that white cards stand out without lines. */
const gray: MantineColorsTuple = [
  '#fafaf8',
  '#f4f4f1',
  '#e9e9e5',
  '#dcdcd7',
  '#c4c4be',
  '#9b9b94',
  '#6d6d67',
  '#4f4f4a',
  '#33332f',
  '#1d1d1b',
];

/** The dark background: ink rather than black. */
const dark: MantineColorsTuple = [
  '#e6e8ea',
  '#b4b9be',
  '#949aa1',
  '#5b636b',
  '#3d454d',
  '#2c333a',
  '#1d2329',
  '#14191e',
  '#0f1317',
  '#0a0d10',
];

const green: MantineColorsTuple = [
  '#ecf7f0',
  '#d9eee1',
  '#b0dcc1',
  '#84c99f',
  '#5fb982',
  '#3fa268',
  '#2c8a54',
  '#1d7043',
  '#135a34',
  '#084325',
];

/** Amber: warnings. Shade 7 on white and shade 4 on the dark background are legible as text. */
const yellow: MantineColorsTuple = [
  '#fdf6e7',
  '#faebc8',
  '#f3d68e',
  '#ebc052',
  '#e0a82e',
  '#c98f14',
  '#a87408',
  '#875a03',
  '#6b4602',
  '#523501',
];

/** Orange: in progress. Shade 9 on shade 1 is legible as small text. */
const orange: MantineColorsTuple = [
  '#fff3ea',
  '#fde4d0',
  '#fac79f',
  '#f5a66b',
  '#ee8a42',
  '#e0711f',
  '#c45a0e',
  '#9e4506',
  '#7c3504',
  '#5f2803',
];

/** Red: failures and irreversible actions; white is legible on shades 6 and 7. */
const red: MantineColorsTuple = [
  '#fdf1f0',
  '#fbe1df',
  '#f5bfbb',
  '#ee9a94',
  '#e8786f',
  '#e0594e',
  '#c93c32',
  '#b3261e',
  '#8f1d17',
  '#6b130f',
];

/** The head of a dialog is a `header` element, which outside a section would count as the page's banner. */
const dialogAttributes = { header: { role: 'presentation' } };

export const theme = createTheme({
  primaryColor: 'lake',
  primaryShade: { light: 7, dark: 6 },
  colors: { lake, gray, dark, green, yellow, orange, red },
  autoContrast: true,
  fontFamily: "'Geist Variable', ui-sans-serif, system-ui, sans-serif",
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  defaultRadius: 'md',
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.25rem' },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
  headings: {
    fontFamily: "'Geist Variable', ui-sans-serif, system-ui, sans-serif",
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.625rem', lineHeight: '1.25' },
      h2: { fontSize: '1.125rem', lineHeight: '1.4' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.5' },
    },
  },
  shadows: {
    xs: '0 1px 2px rgb(20 20 15 / 6%)',
    sm: '0 1px 3px rgb(20 20 15 / 8%)',
    md: '0 4px 16px rgb(20 20 15 / 10%)',
    lg: '0 12px 32px rgb(20 20 15 / 14%)',
  },
  components: {
    ActionIcon: of<ActionIconProps>({ defaultProps: { variant: 'subtle', color: 'gray' } }),
    // A light tint and a border: visible enough to be seen, quiet enough to be read.
    Alert: of<AlertProps>({
      styles: (_: unknown, { color = 'lake' }: Partial<AlertProps>) => ({
        root: {
          background: `color-mix(in srgb, var(--mantine-color-${color}-filled) 9%, var(--surface))`,
          border: `1px solid color-mix(in srgb, var(--mantine-color-${color}-filled) 32%, var(--surface))`,
        },
        icon: { color: `var(--mantine-color-${color}-text)` },
      }),
    }),
    Anchor: of<AnchorProps>({ defaultProps: { underline: 'hover' } }),
    Badge: of<BadgeProps>({ defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 500 } }),
    Button: of<ButtonProps>({ defaultProps: { size: 'sm' } }),
    Card: of<CardProps>({ defaultProps: { withBorder: true, padding: 'lg', radius: 'lg' } }),
    Drawer: of<DrawerProps>({
      defaultProps: { position: 'right', padding: 'lg', attributes: dialogAttributes },
    }),
    // The placeholder that takes the first focus is not a menu item, and a menu must not contain it.
    Menu: of<MenuProps>({ defaultProps: { withInitialFocusPlaceholder: false } }),
    Modal: of<ModalProps>({
      defaultProps: { centered: true, padding: 'lg', radius: 'lg', attributes: dialogAttributes },
    }),
    Paper: of<PaperProps>({ defaultProps: { radius: 'lg' } }),
    PasswordInput: of<PasswordInputProps>({ defaultProps: { size: 'sm' } }),
    // The options belong to the field's container: inside its landmark, inside its dialog. They have the label of the field, and so
    // are there only while they are shown.
    Select: of<SelectProps>({
      defaultProps: {
        size: 'sm',
        allowDeselect: false,
        comboboxProps: { withinPortal: false, keepMounted: false },
      },
    }),
    Skeleton: of<SkeletonProps>({ defaultProps: { radius: 'sm' } }),
    Table: of<TableProps>({ defaultProps: { verticalSpacing: 'sm', horizontalSpacing: 'lg' } }),
    TextInput: of<TextInputProps>({ defaultProps: { size: 'sm' } }),
    // In the page's main part: beside it, what a tooltip says would belong to no landmark.
    Tooltip: of<TooltipProps>({
      defaultProps: { withArrow: true, openDelay: 300, portalProps: { target: 'main' } },
    }),
  },
});

/**
 * Returns the theme with a label for every close button (dialogs, panels, notifications) in the language of
 * the page.
 */
export function withCloseLabel(base: MantineThemeOverride, label: string): MantineThemeOverride {
  const closeButton = of<CloseButtonProps>({
    defaultProps: { attributes: { root: { 'aria-label': label } } },
  });
  return mergeThemeOverrides(base, createTheme({ components: { CloseButton: closeButton } }));
}
