/** The logo: a canoe carried over water. Decorative; the name is next to it. */
export function BrandMark({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" fill="none" aria-hidden="true">
      <path
        d="M2.5 8.5c3 3.4 6.1 4.6 9.5 4.6s6.5-1.2 9.5-4.6c-.2 5-3.9 7.8-9.5 7.8s-9.3-2.8-9.5-7.8Z"
        fill="var(--mantine-color-anchor)"
      />
      <path
        d="M4 19.75c1.33-.9 2.67-.9 4 0s2.67.9 4 0 2.67-.9 4 0 2.67.9 4 0"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
      />
    </svg>
  );
}
