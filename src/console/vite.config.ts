/** `vite build`: static files for the server, into dist/console. JSX needs no plugin: Vite compiles it by tsconfig.json. */
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    // The server's policy lets nothing inline be loaded.
    assetsInlineLimit: 0,
    rolldownOptions: {
      // Libraries say "use client" for frameworks that render on a server.
      checks: { moduleLevelDirective: false },
    },
  },
});
