import { Box } from '@mantine/core';
import { createContext, type ReactNode, useContext } from 'react';

/** Whether the page is inside a frame, which has the main landmark and its padding. */
export const FramedContext = createContext(false);

/** The main landmark, with its padding, of a page that is shown with and without a frame; within one, nothing. */
export function PageLandmark({ children }: { children: ReactNode }) {
  if (useContext(FramedContext)) return children;
  return (
    <Box component="main" p="xl">
      {children}
    </Box>
  );
}
