import type { ReactNode } from 'react';
import { useLoadedWhen } from '../lazy-parts/use-loaded-when.ts';

/** Panel widths. */
export type SidePanelSize = 'sm' | 'md' | 'lg' | 'xl';

/** What a side panel takes. */
export interface SidePanelProps {
  isOpen: boolean;
  onClose: () => void;
  title: ReactNode;
  size: SidePanelSize;
  closeLabel: string;
  children: ReactNode;
}

const loadDrawer = () => import('./side-panel-drawer.tsx');

/** Fetches the panel ahead of its first opening, for a button that a person reaches for. */
export function fetchSidePanel(): void {
  void loadDrawer().catch(() => undefined);
}

/**
 * A panel at the end of the screen; the focus moves in and returns, Escape closes it. It is loaded when it first opens.
 */
export function SidePanel(props: SidePanelProps) {
  const Drawer = useLoadedWhen(props.isOpen, loadDrawer, props.onClose);
  return Drawer && <Drawer {...props} />;
}
