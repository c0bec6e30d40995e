// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A development run that was killed left its folder for ever. */
class SessionOwnerTest {

  @TempDir private Path temporary;

  private Path folder(String name) throws IOException {
    Path folder = Files.createDirectory(temporary.resolve("coxswain-dev-" + name));
    SessionOwner.write(folder);
    return folder;
  }

  @Test
  void onlyFoldersOfProcessesThatHaveEnded_areDeleted() throws Exception {
    folder("mine");
    Path dead = folder("dead");
    Path reused = folder("reused");
    Path container = folder("container");
    Files.createDirectory(temporary.resolve("coxswain-dev-without"));
    String text = Files.readString(dead.resolve(SessionOwner.NAME));
    String[] parts = text.split(" ", -1);
    Process ended = new ProcessBuilder("true").start();
    assertThat(ended.waitFor()).isZero();
    write(dead, ended.pid() + " " + parts[1] + " " + parts[2]);
    write(reused, parts[0] + " 2001-01-01T00:00:00Z " + parts[2]);
    write(container, ended.pid() + " " + parts[1] + " pid:[1]");

    List<Path> deleted = new ArrayList<>();
    SessionOwner.deleteAbandoned(temporary, deleted::add);
    assertThat(deleted).containsExactlyInAnyOrder(dead, reused);
  }

  private static void write(Path folder, String text) throws IOException {
    Files.writeString(folder.resolve(SessionOwner.NAME), text);
  }
}
