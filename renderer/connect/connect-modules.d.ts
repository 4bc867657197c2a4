declare module 'virtual:homeport-colours.css';
