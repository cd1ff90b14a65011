use super::*;

#[test]
fn the_program_of_a_prepared_folder_stands_for_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("linux");
    std::fs::write(&program, "").unwrap();
    assert_eq!(Kernel::at(&program).unwrap().clock, Clock::Real);
    std::fs::write(folder.path().join("wanted"), "").unwrap();
    let kernel = Kernel::at(folder.path()).unwrap();
    assert_eq!(kernel.clock, Clock::Virtual);
    assert_eq!(Kernel::at(&program).unwrap(), kernel);
}
