cask "homeport" do
  arch arm: "arm64", intel: "x64"

  version "{{version}}"
  sha256 arm:   "{{sha256 mac-arm64.dmg}}",
         intel: "{{sha256 mac-x64.dmg}}"

  url "{{download}}/Homeport-#{version}-mac-#{arch}.dmg"
  name "Homeport"
  desc "Self-hosted integration hub: connections, tokens, proxy and syncs over a local API"
  homepage "{{homepage}}"

  auto_updates true
  depends_on macos: :ventura

  app "Homeport.app"

  uninstall quit: "app.homeport.desktop"

  # The data folder with the connections stays: ~/Library/Application Support/homeport.
  zap trash: [
    "~/Library/Application Support/Homeport Desktop",
    "~/Library/Preferences/app.homeport.desktop.plist",
    "~/Library/Saved Application State/app.homeport.desktop.savedState",
  ]
end
