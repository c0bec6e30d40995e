// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.pods;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Folders in place of the paths of a container. */
class PodPathsTest {

  private final PodPaths paths =
      new PodPaths(
          Map.of(
              "/app", Path.of("/tmp/x/root/app"),
              "/tmp", Path.of("/tmp/x/empty"),
              "/etc/shop", Path.of("/tmp/x/shop"),
              "/etc/shop/keys", Path.of("/tmp/x/$keys")));

  @Test
  void aPath_isReplaced_whereItBegins_andOnce() {
    assertThat(paths.in("/app/jre/bin/java")).isEqualTo("/tmp/x/root/app/jre/bin/java");
    assertThat(paths.in("-cp\n/app/lib/a.jar:/app/lib/b.jar"))
        .isEqualTo("-cp\n/tmp/x/root/app/lib/a.jar:/tmp/x/root/app/lib/b.jar");
    assertThat(paths.in("-XX:AOTCache=/app/start.aot,/tmp"))
        .isEqualTo("-XX:AOTCache=/tmp/x/root/app/start.aot,/tmp/x/empty");
    assertThat(paths.in("https://host/app /application x/app"))
        .isEqualTo("https://host/app /application x/app");
  }

  @Test
  void ofTwoPaths_theLongerOneCounts() {
    assertThat(paths.in("/etc/shop/keys/a /etc/shop/config.yaml"))
        .isEqualTo("/tmp/x/$keys/a /tmp/x/shop/config.yaml");
  }
}
