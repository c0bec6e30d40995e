// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;

/**
 * Maven as a person outside of this source tree has it, without network: its own local repository, which is
 * empty at first, and instead of Maven Central that of this build. So nothing of a test gets into the local
 * repository of this build.
 */
@SuppressWarnings("InlineFormatString") // whole files are easier to read apart
public final class PersonalMaven {

  /** Each of its runs ends after some seconds. */
  public static final String OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

  private static final String SCRIPT =
      """
      #!/bin/sh
      exec '%s' -B -gs '%s' -s '%s' -Dmaven.repo.local='%s' "$@"
      """;

  /** Both have the id of Maven Central, and so replace it. */
  private static final String SETTINGS =
      """
      <settings>
        <profiles>
          <profile>
            <id>here</id>
            <repositories>
              <repository>
                <id>central</id><url>%1$s</url>
                <releases><checksumPolicy>ignore</checksumPolicy></releases>
              </repository>
            </repositories>
            <pluginRepositories>
              <pluginRepository>
                <id>central</id><url>%1$s</url>
                <releases><checksumPolicy>ignore</checksumPolicy></releases>
              </pluginRepository>
            </pluginRepositories>
          </profile>
        </profiles>
        <activeProfiles><activeProfile>here</activeProfile></activeProfiles>
      </settings>
      """;

  private PersonalMaven() {}

  /** Writes {@code mvn} into a folder of programs and returns it. */
  public static Path install(Path folder, Path programs) throws IOException {
    return install(folder, programs, "<settings/>");
  }

  /**
   * The same with the settings of that person. Maven has the repositories of the first file before those of
   * the second one, and Maven Central, which this one replaces, is the last of all.
   */
  public static Path install(Path folder, Path programs, String ownSettings) throws IOException {
    Path own = Files.writeString(folder.resolve("own-settings.xml"), ownSettings);
    String repository = System.getProperty("localRepository", "");
    Path ofThisBuild =
        repository.isEmpty()
            ? Path.of(System.getProperty("user.home"), ".m2", "repository")
            : Path.of(repository);
    Path settings =
        Files.writeString(folder.resolve("settings.xml"), SETTINGS.formatted(ofThisBuild.toUri()));
    return script(
        programs.resolve("mvn"),
        SCRIPT.formatted(
            DebianPackages.onPath("mvn").orElseThrow(), own, settings, folder.resolve("m2")));
  }

  /** Runs a program, whose output goes into a file, for some minutes at most; returns its exit code. */
  public static int run(ProcessBuilder program, Path output, long minutes) throws Exception {
    program.redirectErrorStream(true).redirectOutput(output.toFile());
    Process process = program.start();
    boolean ended = process.waitFor(minutes, TimeUnit.MINUTES);
    if (!ended) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    assertThat(ended).as(Files.readString(output)).isTrue();
    return process.exitValue();
  }

  /** Writes a script that can be run. */
  public static Path script(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
