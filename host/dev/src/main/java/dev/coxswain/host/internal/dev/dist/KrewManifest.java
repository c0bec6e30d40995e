// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import dev.coxswain.ctl.internal.cli.CommandException;
import java.net.URI;
import java.net.URISyntaxException;

/**
 * The manifest by which krew, the installer of kubectl's plug-ins, installs the archive of {@code ctl}
 * for one platform.
 *
 * <p>Thread rule: immutable.
 *
 * @param archive what it installs
 * @param sha256 the checksum of the archive
 * @param folder the address of the folder that people download the archive from
 */
record KrewManifest(CtlArchive archive, String sha256, URI folder) {

  /** The name of the file is that of the plug-in. */
  static final String FILE = "coxswain.yaml";

  /**
   * Reads the address of a folder.
   *
   * @param flag its name, for the message
   */
  static URI folder(String flag, String text) {
    try {
      URI address = new URI(text.endsWith("/") ? text : text + "/");
      if (address.getHost() != null
          && ("https".equals(address.getScheme()) || "http".equals(address.getScheme()))
          && address.getRawQuery() == null
          && address.getRawFragment() == null) {
        return address;
      }
    } catch (URISyntaxException e) {
      // Is no address.
    }
    throw new CommandException(
        "flag %s: expected the address of a folder such as https://downloads.example.com/v1.0.0, found \"%s\""
            .formatted(flag, text));
  }

  /** Returns the document. */
  String toYaml() {
    return """
    # SPDX-License-Identifier: Apache-2.0
    # Made by coxswain dist: kubectl krew install --manifest=coxswain.yaml
    apiVersion: krew.googlecontent.com/v1alpha2
    kind: Plugin
    metadata:
      name: coxswain
    spec:
      version: "v%1$s"
      shortDescription: Show and change the queues of Coxswain
      description: |
        Shows the controllers, queues, limiters and replicas of a Coxswain host, explains why an
        object is not reconciled, and pauses, retries and requeues. It uses the admin API of the
        host through kubectl, and has a Java of its own.
      platforms:
        - selector:
            matchLabels:
              os: %2$s
              arch: %3$s
          uri: "%4$s"
          sha256: %5$s
          files:
            - from: "%6$s/*"
              to: "."
          bin: %7$s
    """
        .formatted(
            archive.version(),
            archive.system(),
            archive.processor(),
            folder.resolve(archive.file()),
            sha256,
            archive.folder(),
            CtlArchive.PROGRAM);
  }
}
