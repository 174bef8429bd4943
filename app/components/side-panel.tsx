import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';

/** Panel widths. */
export type SidePanelSize = 'sm' | 'md' | 'lg' | 'xl';

/** A panel at the end of the screen; the focus moves in and returns, Escape closes it. */
export function SidePanel(props: {
  isOpen: boolean;
  onClose: () => void;
  title: ReactNode;
  size: SidePanelSize;
  closeLabel: string;
  children: ReactNode;
}) {
  return (
    <Drawer
      opened={props.isOpen}
      onClose={props.onClose}
      title={props.title}
      size={props.size}
      closeButtonProps={{ 'aria-label': props.closeLabel }}
    >
      {props.children}
    </Drawer>
  );
}
