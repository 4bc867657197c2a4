declare module 'virtual:homeport-theme.css';
