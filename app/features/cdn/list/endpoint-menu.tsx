import { useLingui } from '@lingui/react/macro';
import { IconDots } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { useOnIntent } from '../../../components/lazy-parts/use-on-intent.ts';
import classes from './endpoint-table.module.css';

const loadMenu = () => import('./open-endpoint-menu.tsx');

/** The actions of an endpoint in the list; a row's menu is loaded when someone reaches for it. */
export function EndpointMenu({ endpoint }: { endpoint: Endpoint }) {
  const { Loaded, intent } = useOnIntent<{ endpoint: Endpoint }>(loadMenu);
  if (Loaded) return <Loaded endpoint={endpoint} />;
  const { hostname } = endpoint;
  return <EndpointMenuButton hostname={hostname} aria-haspopup="menu" aria-expanded={false} {...intent} />;
}

/** The button that opens the menu of an endpoint. */
export function EndpointMenuButton({ hostname, ...props }: { hostname: string } & ComponentProps<'button'>) {
  const { t } = useLingui();
  return (
    // Last, because whatever opens the menu passes its own class, or none.
    <button type="button" aria-label={t`Actions for ${hostname}`} {...props} className={classes.menu}>
      <IconDots size={18} stroke={1.6} aria-hidden />
    </button>
  );
}
