import { useComputedColorScheme } from '@mantine/core';
import type { Appearance } from '@stripe/stripe-js';
import { useEffect, useState } from 'react';

/**
 * Returns the appearance of the provider's card form: the page's current colours. A frame cannot use the
 * page's variables, so they are read here. Null until the page is mounted.
 */
export function useCardLook(): Appearance | null {
  const scheme = useComputedColorScheme('light');
  const [look, setLook] = useState<Appearance | null>(null);
  useEffect(() => {
    const styles = getComputedStyle(document.documentElement);
    const read = (name: string) => styles.getPropertyValue(name).trim();
    const isDark = scheme === 'dark';
    const border = read(isDark ? '--mantine-color-dark-4' : '--mantine-color-gray-4');
    setLook({
      theme: isDark ? 'night' : 'stripe',
      variables: {
        fontFamily: read('--mantine-font-family'),
        fontSizeBase: '14px',
        borderRadius: '8px',
        colorPrimary: read('--mantine-primary-color-filled'),
        accessibleColorOnColorPrimary: '#ffffff',
        colorBackground: read('--surface'),
        colorText: read('--mantine-color-text'),
        colorTextSecondary: read('--mantine-color-dimmed'),
        colorTextPlaceholder: read('--mantine-color-placeholder'),
        colorDanger: read('--mantine-color-error'),
      },
      rules: { '.Input': { borderColor: border, boxShadow: 'none' } },
    });
  }, [scheme]);
  return look;
}
