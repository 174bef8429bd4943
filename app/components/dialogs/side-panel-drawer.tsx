import { Drawer } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { SidePanelProps } from './side-panel.tsx';

/** The panel itself, with what moves the focus, locks scrolling and slides. */
export default function SidePanelDrawer(props: SidePanelProps) {
  // It is first rendered closed and opened afterwards, so that it slides in and can return the focus.
  const [hasArrived, setArrived] = useState(false);
  useEffect(() => setArrived(true), []);
  return (
    <Drawer
      opened={hasArrived && props.isOpen}
      onClose={props.onClose}
      title={props.title}
      size={props.size}
      closeButtonProps={{ 'aria-label': props.closeLabel }}
    >
      {props.children}
    </Drawer>
  );
}
