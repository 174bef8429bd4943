import type { Icon } from '@tabler/icons-react';

/** An action of the palette. */
export interface PaletteEntry {
  id: string;
  label: string;
  detail?: string;
  /** Additional search terms; never shown. */
  keywords?: string;
  icon: Icon;
  run: () => void;
}
