@echo off
rem The command line of Homeport, on the Node that comes with it.
setlocal
set NODE_OPTIONS=
if not defined UV_THREADPOOL_SIZE set UV_THREADPOOL_SIZE=8
if not defined NODE_COMPILE_CACHE set "NODE_COMPILE_CACHE=%LOCALAPPDATA%\homeport\cache\compile"
rem Status 75 asks for another start (homeport restart).
:start
"%~dp0..\runtime\bin\node.exe" "%~dp0..\dist\server\cli-main.mjs" %*
if %errorlevel% equ 75 goto start
